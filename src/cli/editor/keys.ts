/** What the line editor can do. Each key means one of these. */
export type EditorKey =
  | 'enter'
  | 'alt-enter'
  | 'newline'
  | 'tab'
  | 'escape'
  | 'interrupt'
  | 'end-or-delete'
  | 'suspend'
  | 'redraw'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'word-left'
  | 'word-right'
  | 'backspace'
  | 'delete'
  | 'kill-to-start'
  | 'kill-to-end'
  | 'kill-word-left'
  | 'kill-word-right'
  | 'yank'

/** Control characters, by the key that they mean. */
const controls: Readonly<Record<string, EditorKey>> = {
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'tab',
  '\x01': 'home',
  '\x02': 'left',
  '\x03': 'interrupt',
  '\x04': 'end-or-delete',
  '\x05': 'end',
  '\x06': 'right',
  '\x08': 'backspace',
  '\x0b': 'kill-to-end',
  '\x0c': 'redraw',
  '\x0e': 'down',
  '\x10': 'up',
  '\x15': 'kill-to-start',
  '\x17': 'kill-word-left',
  '\x19': 'yank',
  '\x1a': 'suspend',
  '\x7f': 'backspace',
}

/** Characters after Alt (or Esc). */
const withAlt: Readonly<Record<string, EditorKey>> = {
  '\r': 'alt-enter',
  '\n': 'alt-enter',
  b: 'word-left',
  f: 'word-right',
  d: 'kill-word-right',
  '\x08': 'kill-word-left',
  '\x7f': 'kill-word-left',
}

/** The last letter of a sequence such as `ESC [ 1 ; 5 D`. */
const byLetter: Readonly<Record<string, EditorKey>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
}

/** The number in a sequence such as `ESC [ 3 ~`. */
const byNumber: Readonly<Record<string, EditorKey>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  7: 'home',
  8: 'end',
}

/** The key of a control character; undefined when it means nothing here. */
export const keyOfControl = (character: string): EditorKey | undefined => controls[character]

/** The key of a character that was typed with Alt. */
export const keyWithAlt = (character: string): EditorKey | undefined =>
  withAlt[character] ?? withAlt[character.toLowerCase()]

/** The key of `ESC [ parameters letter` or `ESC O letter`; typed text for a plain character. */
export const keyOfSequence = (
  parameters: string,
  letter: string,
): EditorKey | { text: string } | undefined => {
  const [first = '', modifiers = '', third = ''] = parameters.split(';')
  const [mask = '1', event] = modifiers.split(':')
  if (event === '3') return undefined // the key was released
  const bits = Math.max(0, Number(mask) - 1)
  if (letter === 'u') return keyOfCode(Number.parseInt(first, 10), bits)
  if (letter === '~' && first === '27') return keyOfCode(Number(third), bits)
  if (letter === '~') return byNumber[first]
  const key = byLetter[letter]
  const isByWord = (bits & (alt | control)) !== 0
  if (isByWord && key === 'left') return 'word-left'
  return isByWord && key === 'right' ? 'word-right' : key
}

const shift = 1
const alt = 2
const control = 4

/** A key that the terminal reports by its code and modifiers, such as Shift-Enter. */
const keyOfCode = (code: number, bits: number): EditorKey | { text: string } | undefined => {
  if (!(code > 0 && code <= 0x10ffff)) return undefined
  if (code === 13 && (bits & alt) !== 0) return 'alt-enter'
  if (code === 13) return (bits & (shift | control)) === 0 ? 'enter' : 'newline'
  if (code === 27) return 'escape'
  const character = String.fromCodePoint(code)
  if ((bits & alt) !== 0) return keyWithAlt(character)
  if ((bits & control) !== 0) return keyOfControl(String.fromCharCode(code & 0x1f))
  if (code < 32 || code === 127) return keyOfControl(character)
  return { text: character }
}
