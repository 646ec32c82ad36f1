import type { EventOf } from '../events/event.ts'

/** What an agent wants to be allowed, as a person reads it. */
export const questionOf = ({ toolName, args, dialog }: EventOf<'approval_request'>): string => {
  const title = toolName === undefined ? (dialog?.title ?? 'Go on?') : `Allow ${toolName}?`
  return [`? ${plain(title)}`, ...argumentLines(args), answers].join('\n')
}

const answers =
  '  y allow · a allow for this session · anything else denies, and is told to the agent'

/** All of them, each under its name: nobody allows what cannot be read. */
const argumentLines = (args: unknown): string[] => {
  if (typeof args !== 'object' || args === null) return []
  return Object.entries(args).flatMap(([name, value]) => {
    const [first = '', ...more] = textOf(value).trimEnd().split('\n').map(plain)
    if (more.length === 0) return [`  ${plain(name)}: ${first}`]
    return [`  ${plain(name)}:`, ...[first, ...more].map((line) => `    ${line}`)]
  })
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

/** What an agent says must not steer the terminal. */
const plain = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ')
