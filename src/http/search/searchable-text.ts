import type { Block } from '../../events/types.ts'
import type { Entry, ToolEntry } from '../../transcript/index.ts'

/** Everything in an entry that a reader sees, without the thinking of the model. */
export const searchableText = (entry: Entry): string => {
  switch (entry.kind) {
    case 'message':
      return `${textIn(entry.message.content)}\n${entry.message.errorMessage ?? ''}`
    case 'tool':
      return `${entry.toolName} ${argumentsOf(entry)}\n${textIn(entry.result?.content ?? [])}${entry.output}`
    case 'notice':
      return entry.text
  }
}

const textIn = (content: readonly Block[]): string =>
  content
    .flatMap((block) =>
      block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
    )
    .join('\n')

/** The arguments that are strings: a command, a path, a pattern. */
const argumentsOf = ({ args }: ToolEntry): string =>
  typeof args === 'object' && args !== null
    ? Object.values(args)
        .filter((each) => typeof each === 'string')
        .join(' ')
    : ''
