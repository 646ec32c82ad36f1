/** What every answer carries. There are no CORS headers: pages of other origins may read nothing. */
const always = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const

const policyOf = (directives: Readonly<Record<string, string>>): string =>
  Object.entries({ ...directives, 'base-uri': "'none'", 'form-action': "'none'" })
    .map(([name, value]) => `${name} ${value}`)
    .concat("frame-ancestors 'none'")
    .join('; ')

/** For answers that are data: whoever opens one as a page runs nothing in it. */
export const dataHeaders: Readonly<Record<string, string>> = {
  ...always,
  'Content-Security-Policy': `${policyOf({ 'default-src': "'none'" })}; sandbox`,
}

/** For pages: files of this server only, and no script or style inside the page. */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...always,
  'Content-Security-Policy': policyOf({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data: blob:",
    'font-src': "'self'",
    'connect-src': "'self'",
    'manifest-src': "'self'",
    'worker-src': "'self'",
  }),
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
}
