import type { Block } from '../../events/types.ts'
import type { Entry, ToolEntry } from '../../transcript/index.ts'

/** What an entry says to people, as one text: without what the model only thought. */
export const searchTerms = (entry: Entry): string => {
  switch (entry.kind) {
    case 'message':
      return `${textIn(entry.message.content)}\n${entry.message.errorMessage ?? ''}`
    case 'tool':
      return `${entry.toolName} ${givenTo(entry)}\n${textIn(entry.result?.content ?? [])}${entry.output}`
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

/** The arguments that are words: a command, a path, a pattern. */
const givenTo = ({ args }: ToolEntry): string =>
  typeof args === 'object' && args !== null
    ? Object.values(args)
        .filter((each) => typeof each === 'string')
        .join(' ')
    : ''
