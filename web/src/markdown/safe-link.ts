const allowed = new Set(['http:', 'https:', 'mailto:'])

/** An address that may be followed; undefined when it might do something else than lead there. */
export const safeLink = (href: string): string | undefined => {
  try {
    const { protocol } = new URL(href)
    return allowed.has(protocol) ? href : undefined
  } catch {
    return undefined
  }
}
