/** How many columns a text takes on a screen. Colours count, so leave them out. */
export const textWidth = (text: string): number => {
  if (isAscii.test(text)) return text.length
  let width = 0
  for (const grapheme of graphemesOf(text)) width += graphemeWidth(grapheme)
  return width
}

/** The characters of a text as people count them: an emoji with its parts is one. */
export const graphemesOf = (text: string): string[] => {
  if (isAscii.test(text)) return [...text]
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** Made when it is needed: it takes some milliseconds. */
let segmenter: Intl.Segmenter | undefined

const isAscii = /^[\x20-\x7e]*$/

/** How many columns one character takes: 0, 1 or 2. */
export const graphemeWidth = (grapheme: string): number => {
  if (isAscii.test(grapheme)) return grapheme.length
  if (isInvisible.test(grapheme)) return 0
  return isWide.test(grapheme) ? 2 : 1
}

const isInvisible = /^[\p{M}\p{Cf}\p{Cc}\p{DI}]+$/u

/** Emoji, a symbol that is drawn as one (U+FE0F), flags, and the wide scripts of East Asia. */
const isWide =
  /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Emoji_Modifier_Base}\p{Emoji_Modifier}|\p{RI}\p{RI}|[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}])/u
