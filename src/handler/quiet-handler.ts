import type { StreamHandler } from './stream-handler.ts'

/** Prints only the final text of the run. */
export const quietHandler = (write: (text: string) => void): StreamHandler => ({
  onText() {},
  onToolCall() {},
  onToolResult() {},
  onError() {},
  onComplete(result) {
    if (result.text !== '') write(result.text.endsWith('\n') ? result.text : `${result.text}\n`)
  },
})
