import type { StreamHandler } from './stream-handler.ts'

/** Prints the final text, and nothing else. */
export const quietHandler = (write: (text: string) => void): StreamHandler => ({
  onText() {},
  onToolCall() {},
  onToolResult() {},
  onError() {},
  onComplete(result) {
    if (result.text !== '') write(result.text.endsWith('\n') ? result.text : `${result.text}\n`)
  },
})
