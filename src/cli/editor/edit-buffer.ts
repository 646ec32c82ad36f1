import { graphemesOf } from '../text-width.ts'
import type { EditorKey } from './keys.ts'

/** A text that is being typed, and where the cursor is in it. */
export interface EditBuffer {
  readonly text: string
  readonly cursor: number
}

/** What a key makes of a buffer, and the text that it cut out. */
export interface Edited extends EditBuffer {
  readonly killed?: string
}

export const emptyBuffer: EditBuffer = { text: '', cursor: 0 }

/** The buffer with a text at the cursor, and the cursor behind it. */
export const inserted = ({ text, cursor }: EditBuffer, more: string): EditBuffer => ({
  text: text.slice(0, cursor) + more + text.slice(cursor),
  cursor: cursor + more.length,
})

/** Applies a key that moves or deletes; undefined for every other key. */
export const edited = (buffer: EditBuffer, key: EditorKey): Edited | undefined => {
  const { text, cursor } = buffer
  switch (key) {
    case 'left':
      return { text, cursor: cursor - lengthBefore(buffer) }
    case 'right':
      return { text, cursor: cursor + lengthAfter(buffer) }
    case 'home':
      return { text, cursor: lineStart(buffer) }
    case 'end':
      return { text, cursor: lineEnd(buffer) }
    case 'word-left':
      return { text, cursor: wordStart(buffer) }
    case 'word-right':
      return { text, cursor: wordEnd(buffer) }
    case 'backspace':
      return without(buffer, cursor - lengthBefore(buffer), cursor)
    case 'delete':
      return without(buffer, cursor, cursor + lengthAfter(buffer))
    default:
      return killed(buffer, key)
  }
}

const killed = (buffer: EditBuffer, key: EditorKey): Edited | undefined => {
  const { cursor } = buffer
  switch (key) {
    case 'kill-to-start':
      // At the start of a line, its line break goes.
      return cut(buffer, Math.min(lineStart(buffer), Math.max(0, cursor - 1)), cursor)
    case 'kill-to-end':
      return cut(
        buffer,
        cursor,
        Math.max(lineEnd(buffer), Math.min(cursor + 1, buffer.text.length)),
      )
    case 'kill-word-left':
      return cut(buffer, wordStart(buffer), cursor)
    case 'kill-word-right':
      return cut(buffer, cursor, wordEnd(buffer))
    default:
      return undefined
  }
}

const cut = (buffer: EditBuffer, from: number, to: number): Edited => ({
  ...without(buffer, from, to),
  killed: buffer.text.slice(from, to),
})

const without = ({ text }: EditBuffer, from: number, to: number): EditBuffer => ({
  text: text.slice(0, from) + text.slice(to),
  cursor: from,
})

const lineStart = ({ text, cursor }: EditBuffer): number =>
  cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1

const lineEnd = ({ text, cursor }: EditBuffer): number => {
  const at = text.indexOf('\n', cursor)
  return at === -1 ? text.length : at
}

const wordStart = ({ text, cursor }: EditBuffer): number =>
  cursor - (/\S*\s*$/.exec(text.slice(Math.max(0, cursor - reach), cursor))?.[0].length ?? 0)

const wordEnd = ({ text, cursor }: EditBuffer): number =>
  cursor + (/^\s*\S*/.exec(text.slice(cursor, cursor + reach))?.[0].length ?? 0)

/** A character or word is looked for this far. */
const reach = 2000

/** The length of the character before the cursor. */
const lengthBefore = ({ text, cursor }: EditBuffer): number =>
  graphemesOf(text.slice(Math.max(0, cursor - window), cursor)).at(-1)?.length ?? 0

const lengthAfter = ({ text, cursor }: EditBuffer): number =>
  graphemesOf(text.slice(cursor, cursor + window))[0]?.length ?? 0

/** No character that people use is longer. */
const window = 64
