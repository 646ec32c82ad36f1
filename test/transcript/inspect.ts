import { expect } from 'vitest'
import { entriesOf, type ToolEntry, type Transcript } from '../../src/transcript/index.ts'

/** The entries of a thread, one line each. */
export const entryLines = (transcript: Transcript, toolCallId?: string): string[] =>
  entriesOf(transcript, toolCallId).map((entry) => {
    if (entry.kind === 'notice') return `${entry.level}: ${entry.text}`
    if (entry.kind === 'tool') return `${entry.toolCallId} ${entry.status}`
    const { role, content } = entry.message
    return `${role}: ${content.map((block) => ('text' in block ? block.text : block.type)).join('|')}`
  })

/** The first tool of the main thread. */
export const firstTool = (transcript: Transcript): ToolEntry => {
  const tool = entriesOf(transcript).find((entry) => entry.kind === 'tool')
  return tool ?? expect.unreachable('there is no tool')
}
