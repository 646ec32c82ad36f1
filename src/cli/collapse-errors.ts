import type { StreamHandler } from '../handler/stream-handler.ts'

/** Of errors that are alike and follow each other, this many are printed. */
const printed = 3

/**
 * Prints errors that differ only in their numbers a few times, and then how many came. A program that
 * is no agent can print millions of lines that nothing can read.
 */
export const collapseErrors = (handler: StreamHandler): StreamHandler => {
  let last = ''
  let count = 0

  const flush = () => {
    if (count > printed) handler.onError(`… and ${count - printed} more of these.`)
    count = 0
    last = ''
  }

  return {
    ...handler,
    onPrompt(text) {
      flush()
      handler.onPrompt?.(text)
    },
    onText(text) {
      flush()
      handler.onText(text)
    },
    onToolCall(...call) {
      flush()
      handler.onToolCall(...call)
    },
    onError(error) {
      const kind = error.replace(/\d+/g, '0')
      if (kind !== last) flush()
      last = kind
      count += 1
      if (count <= printed) handler.onError(error)
    },
    onComplete(result) {
      flush()
      handler.onComplete(result)
    },
  }
}
