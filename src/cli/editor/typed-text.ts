import { type EditBuffer, edited, emptyBuffer, inserted } from './edit-buffer.ts'
import type { EditorKey } from './keys.ts'

/** A text that was typed, and whether any of it was pasted. */
export interface TypedLine {
  text: string
  isPasted: boolean
}

/** The text that a person is typing. */
export interface TypedText {
  buffer(): EditBuffer
  /** Adds text at the cursor. */
  insert(text: string, isPasted: boolean): void
  /** Replaces the text. What was pasted before still counts as pasted. */
  set(buffer: EditBuffer): void
  /** Applies a key that moves, deletes, cuts or yanks; returns whether the text has changed. */
  press(key: EditorKey): boolean
  /** Removes the text and returns it. */
  take(): TypedLine
}

export const createTypedText = (): TypedText => {
  let buffer = emptyBuffer
  let isPasted = false
  let cut: TypedLine = { text: '', isPasted: false }

  const set = (next: EditBuffer): void => {
    buffer = { text: next.text, cursor: next.cursor }
    if (buffer.text === '') isPasted = false
  }

  const insert = (text: string, wasPasted: boolean): void => {
    set(inserted(buffer, text))
    isPasted ||= wasPasted && text !== ''
  }

  return {
    buffer: () => buffer,
    insert,
    set,
    press(key) {
      const { text } = buffer
      if (key === 'yank') insert(cut.text, cut.isPasted)
      const next = edited(buffer, key)
      if (next?.killed) cut = { text: next.killed, isPasted }
      if (next) set(next)
      return buffer.text !== text
    },
    take() {
      const line = { text: buffer.text, isPasted }
      set(emptyBuffer)
      return line
    },
  }
}
