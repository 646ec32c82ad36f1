/** How many columns of a screen a text takes. Wide characters and emoji take two, marks none. */
export const cellsOf = (text: string): number => {
  let cells = 0
  for (const { segment } of segmenter.segment(text)) cells += wide.test(segment) ? 2 : 1
  return cells
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u

/** A text that takes exactly this many columns: cut with `…`, or filled with spaces. */
export const fitted = (text: string, width: number): string => {
  const cells = cellsOf(text)
  if (cells <= width) return text + ' '.repeat(width - cells)
  let cut = ''
  let used = 0
  for (const { segment } of segmenter.segment(text)) {
    const more = cellsOf(segment)
    if (used + more > width - 1) break
    cut += segment
    used += more
  }
  return `${cut}…${' '.repeat(Math.max(0, width - 1 - used))}`
}
