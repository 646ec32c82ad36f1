import type { Block } from '../../../src/events/index.ts'
import type { ToolEntry } from '../../../src/transcript/index.ts'

/** What a tool gave so far, as text: its result, or else what it has printed. */
export const toolOutput = (entry: ToolEntry): string => {
  if (entry.result) return blockText(entry.result.content)
  if (entry.output !== '') return entry.output
  return typeof entry.shown === 'string' ? entry.shown : ''
}

/** The text in some blocks. */
export const blockText = (content: readonly Block[]): string =>
  content
    .flatMap((block) =>
      block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
    )
    .join('\n')
