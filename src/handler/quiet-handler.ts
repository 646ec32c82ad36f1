import type { StreamHandler } from './stream-handler.ts'

/** Prints only the final text of the run: that of its last message. */
export const quietHandler = (write: (text: string) => void): StreamHandler => ({
  onText() {},
  onToolCall() {},
  onToolResult() {},
  onError() {},
  onComplete({ finalText }) {
    if (finalText !== '') write(finalText.endsWith('\n') ? finalText : `${finalText}\n`)
  },
})
