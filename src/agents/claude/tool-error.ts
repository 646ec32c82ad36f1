import type { Block } from '../../events/types.ts'

/** The result of a call that failed, as a person reads it. */
export interface FailedResult {
  content: Block[]
  /** The person stopped the run while the call was open. */
  isStopped: boolean
}

/**
 * Claude Code writes the results of failed calls for the model: errors in tags, and instructions where a
 * person stopped the run. Returns what happened instead.
 */
export const readFailedResult = (content: readonly Block[]): FailedResult => {
  let isStopped = false
  const read = content.map((block) => {
    if (block.type !== 'text' || typeof block.text !== 'string') return block
    if (isAboutStop(block.text)) isStopped = true
    return { ...block, text: textFor(block.text) }
  })
  return { content: read, isStopped }
}

const stopMark = /\n?\[Request interrupted by user[^\]]*\]\s*$/

/** Instructions to the model, without a reason that a person gave. */
const stopText =
  /^The user doesn't want to (?:proceed with this tool use|take this action right now)\..*STOP what you are doing/s

const isAboutStop = (text: string): boolean => stopText.test(text) || stopMark.test(text)

/** The exit code is a field of the event. */
const exitLine = /^Exit code \d+(?:\n|$)/

const stopped = 'The call was stopped.'

const textFor = (text: string): string => {
  if (stopText.test(text))
    return text.includes('stopped while running')
      ? `${stopped} It may have done a part of its work.`
      : stopped
  if (stopMark.test(text)) return text.replace(stopMark, '').replace(exitLine, '') || stopped
  const inside = /^<tool_use_error>(.*?)(?:<\/tool_use_error>)?$/s.exec(text)?.[1]
  return inside === undefined ? text : inside.replace(/^\w*Error: /, '')
}
