/** Headers of every response. Without CORS headers, pages of other origins cannot read responses. */
const common = {
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

/** For data: a browser that opens such a response as a page runs nothing in it. */
export const dataHeaders: Readonly<Record<string, string>> = {
  ...common,
  'Content-Security-Policy': `${policyOf({ 'default-src': "'none'" })}; sandbox`,
}

/** For pages: only files of this server load, and no inline script or style runs. */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...common,
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
