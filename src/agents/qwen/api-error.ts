import { beginsWith } from '../strings.ts'

/**
 * Qwen Code prints the error of a provider as text of the model, and once more in its result. Such
 * text waits here until the result says which of both it is.
 */
export interface ApiErrorText {
  /** Whether a piece of text may be an error. Then it waits. */
  hold(delta: string): boolean
  /** The text that waits. */
  held(): string
  /** Returns the text that waits, and forgets it. */
  take(): string
  /** The text of a whole block without what waits. */
  without(whole: string): string
}

const mark = '[API Error: '

export const createApiErrorText = (): ApiErrorText => {
  let held = ''
  return {
    hold(delta) {
      if (held === '' && !beginsWith(delta, mark)) return false
      held += delta
      return true
    },
    held: () => held,
    take() {
      const text = held
      held = ''
      return text
    },
    without(whole) {
      // Without deltas, the error is the end of the block.
      const at = held === '' ? whole.lastIndexOf(mark) : whole.length - held.length
      if (at < 0) return whole
      if (held === '') held = whole.slice(at)
      return whole.endsWith(held) ? whole.slice(0, at) : whole
    },
  }
}
