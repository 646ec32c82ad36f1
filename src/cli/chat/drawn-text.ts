import type { Style } from '../../handler/style.ts'
import { collapseBlanks, type RevealedPart, revealText } from '../../shared/revealed-text.ts'

/** A text of an agent as a question shows it, and what to warn about. */
export interface DrawnText {
  lines: readonly string[]
  warnings: readonly string[]
}

/** Draws every character of a text: hidden ones as escapes, long gaps as a summary. */
export const drawText = (text: string, style: Style): DrawnText => {
  const { parts, warnings } = revealText(text)
  const drawn = collapseBlanks(parts).map(({ text: part, kind }) => {
    if (kind === 'hidden') return style('red', part)
    if (kind === 'lookalike') return style('yellow', part)
    return kind === 'blank' ? style('dim', part) : part
  })
  return {
    lines: drawn.join('').replace(/\n$/, '').replaceAll('\t', '    ').split('\n'),
    warnings: [...warnings, ...lookalikesIn(parts)],
  }
}

/** A text in one line, such as a name. */
export const drawLine = (text: string, style: Style): string =>
  drawText(text, style).lines.join(' ')

/** Says of the first words that may be misread how they are spelled. */
const lookalikesIn = (parts: readonly RevealedPart[]): string[] =>
  [...new Set(parts.filter(({ kind }) => kind === 'lookalike').map(({ text }) => text))]
    .slice(0, maxSpelled)
    .map((word) => `“${word}” is spelled ${spelled(word)}.`)

const maxSpelled = 3

const spelled = (word: string): string =>
  Array.from(word.slice(0, 80), (character) => {
    const code = character.codePointAt(0) ?? 0
    return code < 0x80 ? character : `\\u{${code.toString(16)}}`
  }).join('')
