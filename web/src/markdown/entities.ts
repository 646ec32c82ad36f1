/** The names that people and models use. Any other name stays as it is. */
const names: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  shy: '\u00ad',
  ensp: '\u2002',
  emsp: '\u2003',
  thinsp: '\u2009',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  dagger: '†',
  sect: '§',
  para: '¶',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  micro: 'µ',
  cent: '¢',
  pound: '£',
  yen: '¥',
  euro: '€',
  plusmn: '±',
  times: '×',
  divide: '÷',
  minus: '−',
  frac14: '¼',
  frac12: '½',
  frac34: '¾',
  sup2: '²',
  sup3: '³',
  ne: '≠',
  le: '≤',
  ge: '≥',
  asymp: '≈',
  infin: '∞',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  harr: '↔',
  lArr: '⇐',
  rArr: '⇒',
  hArr: '⇔',
  check: '✓',
  cross: '✗',
}

/** Replaces entities with their characters: `&lt;`, `&#60;` and `&#x3c;` are `<`. */
export const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]*));/gi,
    (whole, decimal?: string, hex?: string, name = '') => {
      if (decimal !== undefined) return characterOf(Number.parseInt(decimal, 10))
      if (hex !== undefined) return characterOf(Number.parseInt(hex, 16))
      return Object.hasOwn(names, name) ? (names[name] ?? whole) : whole
    },
  )

/** The character with this code, or the replacement character if there is none. */
const characterOf = (code: number): string => {
  const isSurrogate = code >= 0xd800 && code <= 0xdfff
  return code === 0 || isSurrogate || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
}
