const safeProtocols = new Set(['http:', 'https:', 'mailto:'])

/** An address that is safe to open; undefined if its protocol might run something. */
export const safeLink = (href: string): string | undefined => {
  try {
    const { protocol } = new URL(href)
    return safeProtocols.has(protocol) ? href : undefined
  } catch {
    return undefined
  }
}
