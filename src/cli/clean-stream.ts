import { cleanText } from './clean-text.ts'

/** Cleans a text that arrives in pieces: sequences that are cut in two are removed as well. */
export interface CleanStream {
  /** The clean text so far. The beginning of an unfinished sequence is held back. */
  push(text: string): string
}

export const createCleanStream = (isColoured: boolean): CleanStream => {
  let pending = ''
  let before = ''
  return {
    push(text) {
      const whole = pending + text
      pending = unfinished.exec(whole.slice(-longest))?.[0] ?? ''
      const complete = whole.slice(0, whole.length - pending.length)
      const cleaned = cleanText(complete, { isColoured, before })
      before = (before + complete).slice(-2)
      return cleaned
    },
  }
}

/** A sequence that is longer than this is shown as text: it must not hold back everything. */
const longest = 4200
const unfinished = new RegExp(
  [
    String.raw`(?:\r|[\ud800-\udbff]`,
    String.raw`\x1b[\x20-\x2f]*`,
    String.raw`(?:\x1b\[|\x9b)[\x20-\x3f]*`,
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]{0,4096}\x1b?)$`,
  ].join('|'),
)
