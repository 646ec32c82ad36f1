/** `hidden`: characters that a screen does not show, drawn as escapes. `lookalike`: may be misread. */
export interface RevealedPart {
  text: string
  kind: 'plain' | 'hidden' | 'lookalike'
}

/** A text with everything visible that a screen would hide or reorder. */
export interface RevealedText {
  parts: readonly RevealedPart[]
  /** What to tell the person, in plain words; empty for an ordinary text. */
  warnings: readonly string[]
}

/** A part of a text whose long gaps are summarised: `blank` reads like `[200 empty lines]`. */
export interface CollapsedPart {
  text: string
  kind: RevealedPart['kind'] | 'blank'
}

/**
 * Shows hidden characters as escapes such as `\u202e`, and marks words that can be mistaken for
 * others. Takes linear time. Use it wherever a person decides about a text that an agent wrote.
 */
export const revealText = (text: string): RevealedText => {
  if (isOrdinary.test(text)) return { parts: plain(text), warnings: [] }
  const parts: RevealedPart[] = []
  const found = new Set<string>()
  const hiddenTokens: string[] = []
  let start = 0
  for (const { index, 0: token, 1: emoji, 2: word, 3: hidden } of text.matchAll(tokens)) {
    const warning = word === undefined ? lookalikeWarning : wordWarning(word, text, index)
    if (hidden !== undefined) hiddenTokens.push(hidden)
    else if (warning === undefined || emoji !== undefined) continue
    else found.add(warning)
    parts.push(...plain(text.slice(start, index)))
    start = index + token.length
    parts.push(
      hidden === undefined
        ? { text: token, kind: 'lookalike' }
        : { text: escaped(hidden), kind: 'hidden' },
    )
  }
  parts.push(...plain(text.slice(start)))
  const allHidden = hiddenTokens.join(' ')
  for (const { of, warning } of hiddenWarnings) if (of.test(allHidden)) found.add(warning)
  return { parts, warnings: [...found] }
}

/** The text that the parts were made from. */
export const originalText = (parts: readonly RevealedPart[]): string =>
  parts.map(({ text, kind }) => (kind === 'hidden' ? unescaped(text) : text)).join('')

/**
 * The parts as one string, for places without colours. Backslashes in front of an escape are doubled,
 * so an escape that the text itself contains (`\\u202e`) differs from a hidden character (`\u202e`).
 */
export const revealedString = (parts: readonly RevealedPart[]): string => {
  let whole = ''
  let shown = ''
  for (const { text, kind } of parts) {
    if (kind !== 'hidden') shown += text
    else {
      whole += doubleSlashes(shown).replace(lastSlashes, '$&$&') + text
      shown = ''
    }
  }
  return whole + doubleSlashes(shown)
}

/** The text that `revealedString` was made from. */
export const originalOfRevealed = (text: string): string =>
  text.replace(slashesAndEscape, (_, slashes: string, code: string) => {
    const half = '\\'.repeat(Math.floor(slashes.length / 2))
    return slashes.length % 2 === 0 ? `${half}${code}` : `${half}${unescaped(`\\${code}`)}`
  })

/** Replaces long gaps by a summary, so that they cannot push what follows out of sight. */
export const collapseBlanks = (parts: readonly RevealedPart[]): CollapsedPart[] =>
  parts.flatMap(({ text, kind }): CollapsedPart[] => {
    if (kind !== 'plain') return [{ text, kind }]
    const found: CollapsedPart[] = []
    let start = 0
    for (const { index, 0: gap } of text.matchAll(gaps)) {
      found.push(...plain(text.slice(start, index)), { text: summaryOf(gap), kind: 'blank' })
      start = index + gap.length
      if (gap.endsWith('\n')) found.push({ text: '\n', kind: 'plain' })
    }
    return [...found, ...plain(text.slice(start))]
  })

const plain = (text: string): [] | [{ text: string; kind: 'plain' }] =>
  text === '' ? [] : [{ text, kind: 'plain' }]

const isOrdinary = /^[\n\t\x20-\x7e]*$/

// Real emoji stay as they are, joiners included, and so do letters with up to four marks.
const pictograph = String.raw`[\p{ExtPict}--[\p{Cn}©®™]](?:\p{EMod}|\uFE0F)?`
const hidden = String.raw`[[\p{C}\p{DI}\p{M}\p{Zs}\p{Zl}\p{Zp}\u2800]--[\n\t\x20]]`
const styledLetter = String.raw`[\u2100-\u2121\u2123-\u214F\u2160-\u217F\u24B6-\u24E9\uFB00-\uFB06\uFF10-\uFF19\uFF21-\uFF3A\uFF41-\uFF5A\u{1D400}-\u{1D7FF}\u{1F130}-\u{1F189}]`
/** Punctuation that looks like that of ASCII. Ordinary punctuation of Chinese text is left out. */
const styledMark = String.raw`[\u02D0\u02D7\u02F8\u037E\u0387\u0589\u05C3\u1735\u2010-\u2012\u2024\u2043\u2044\u2212\u2215-\u2217\u2223\u2236\u29F5\u29F8\uA789\uFE52-\uFE55\uFE63\uFE68\uFF02-\uFF07\uFF0A\uFF0B\uFF0D-\uFF0F\uFF1C-\uFF1E\uFF20\uFF3B-\uFF40\uFF5B-\uFF5E]`
const letter = String.raw`[[\p{L}\p{N}]--[\p{DI}${styledLetter}]]`
const tokens = new RegExp(
  [
    `(${pictograph}(?:\\u200D${pictograph}){0,8}|[0-9#*]\\uFE0F\\u20E3)`,
    String.raw`((?:${letter}[\p{M}--\p{DI}]{0,4})+)`,
    `(${hidden}+)`,
    `(?:${styledLetter}|${styledMark})+`,
  ].join('|'),
  'gv',
)

/** Why a word can be mistaken for another; undefined for an ordinary word. */
const wordWarning = (word: string, text: string, index: number): string | undefined => {
  if (isAscii.test(word)) return undefined
  if (rightToLeft.test(word)) return directionWarning
  const scripts = alphabets.filter((script) => script.test(word))
  if (scripts.length > 1 || phonetic.test(word)) return lookalikeWarning
  if (!looksLatin.test(word)) return undefined
  const isAlone = word.length === 1 && !isJoined(text[index - 1] ?? '', text[index + 1] ?? '')
  return isAlone ? undefined : lookalikeWarning
}

const isAscii = /^[\x20-\x7e]*$/
/** Alphabets whose letters resemble each other. Japanese or Korean next to Latin is ordinary. */
const alphabets = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /[\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Deseret}\p{Script=Georgian}]/u,
  /[\p{Script=Glagolitic}\p{Script=Gothic}\p{Script=Lisu}\p{Script=Ogham}\p{Script=Osage}]/u,
  /[\p{Script=Runic}\p{Script=Tifinagh}\p{Script=Vai}\p{Script=Warang_Citi}]/u,
]
/** Screens reorder these letters, and punctuation next to them. */
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u
/** Latin letters of phonetic alphabets, such as ɡ: nobody writes them in commands. */
const phonetic = /[\u0250-\u02AF\u1D00-\u1DBF\u2C60-\u2C7F\uA722-\uA7FF]/
const looksLatin = /^[асеорхуіјѕһԁԛԝӏАВЕІКМНОРСТХУЅЈҺԌԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧονՕՍօսոցհᎪᎳᎡᎢᏚᎬᏔᎻᎠ\d]+$/
const isJoined = (before: string, after: string): boolean =>
  /[-_./@:=$~\\]/.test(before) || /[-_/@:=]/.test(after)

const directionWarning = 'Contains text that screens show from right to left, or in another order.'
const lookalikeWarning = 'Contains letters that look like others. A word may not be what it seems.'

/** What each kind of hidden character does to a reader. */
const hiddenWarnings = [
  {
    of: /\p{Cc}/u,
    warning: 'Contains control characters. They can overwrite or hide text in a terminal.',
  },
  { of: /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/, warning: directionWarning },
  {
    of: /[[\p{Cf}\p{DI}\p{M}]--[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]]/v,
    warning: 'Contains invisible characters.',
  },
  { of: /[[\p{Z}\u2800]--\x20]/v, warning: 'Contains unusual spaces or line breaks.' },
  { of: /[\p{Co}\p{Cn}\p{Cs}]/u, warning: 'Contains characters that have no agreed shape.' },
]

const escaped = (text: string): string =>
  Array.from(text, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16)
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
  }).join('')

const unescaped = (text: string): string =>
  text.replace(/\\u\{?([\da-f]+)\}?/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  )

const escapeForm = String.raw`u(?:[\da-f]{4}|\{[\da-f]{5,6}\})`
const slashesBeforeEscape = new RegExp(String.raw`(?<!\\)\\+(?=${escapeForm})`, 'g')
const slashesAndEscape = new RegExp(String.raw`(?<!\\)(\\+)(${escapeForm})`, 'g')
const doubleSlashes = (text: string): string => text.replace(slashesBeforeEscape, '$&$&')
const lastSlashes = /(?<!\\)\\+$/

/** Four empty lines or more, or forty blanks or more. */
const gaps = /(?<=^|\n)(?:[ \t]*\n){4,}|[ \t]{40,}/g

const summaryOf = (gap: string): string => {
  const lines = gap.split('\n').length - 1
  return lines > 0 ? `[${lines} empty lines]` : `[${gap.length} blanks]`
}
