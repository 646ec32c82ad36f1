import { sessionName } from '../../api/session-name.ts'
import type { Block, Snapshot } from '../../events/types.ts'
import type { SessionRecord } from '../../log/types.ts'

type Said = Snapshot['messages'][number]

/** A session as a page to read, piece by piece. */
export const exportMarkdown = function* (
  record: SessionRecord,
  snapshot: Snapshot,
): Generator<string> {
  yield headOf(record, snapshot)
  for (const said of snapshot.messages) yield `\n${sectionOf(said)}`
  if (snapshot.partial) yield `\n${sectionOf(snapshot.partial)}\n*It is not finished.*\n`
}

const headOf = (record: SessionRecord, { name, model }: Snapshot): string => {
  const lines = [
    ['Agent', record.agent],
    ['Model', model ?? record.model],
    ['Directory', record.cwd],
    ['Begun', new Date(record.createdAt).toISOString()],
    ['Session', record.id],
  ]
  const told = lines.flatMap(([label, value]) =>
    value === undefined ? [] : `- ${label}: ${value}`,
  )
  return `# ${oneLine(sessionName({ ...(name !== undefined && { name }), ...record }))}\n\n${told.join('\n')}\n`
}

const sectionOf = (said: Said): string =>
  said.role === 'toolResult' ? resultOf(said) : messageOf(said)

const titles = {
  user: 'User',
  assistant: 'Assistant',
  system: 'System',
  custom: 'Extension',
  compactionSummary: 'Summary of what was before',
} as const

const messageOf = (message: Exclude<Said, { role: 'toolResult' }>): string => {
  const parts = message.content.map(blockOf)
  if (message.errorMessage !== undefined) parts.push(`**Error:** ${oneLine(message.errorMessage)}`)
  return `## ${titles[message.role]}\n\n${parts.join('\n\n')}\n`
}

const resultOf = (result: Extract<Said, { role: 'toolResult' }>): string => {
  const outcome = result.isError ? ' failed' : ''
  return `### ${oneLine(result.toolName)}${outcome}\n\n${result.content.map(outputOf).join('\n\n')}\n`
}

/** What a tool printed is no Markdown. */
const outputOf = (block: Block): string =>
  block.type === 'text' && typeof block.text === 'string' ? fenced(block.text) : blockOf(block)

const blockOf = (block: Block): string => {
  switch (block.type) {
    case 'text':
      return textIn(block, 'text')
    case 'thinking':
      return quoted(textIn(block, 'thinking'))
    case 'toolCall':
      return callOf(block)
    case 'image':
      return `*(image: ${oneLine(textIn(block, 'mimeType'))})*`
    default:
      return fenced(JSON.stringify(block, null, 2), 'json')
  }
}

const callOf = (block: Block): string => {
  const called = 'arguments' in block ? block.arguments : undefined
  return `**${oneLine(textIn(block, 'name'))}**\n\n${fenced(JSON.stringify(called ?? {}, null, 2), 'json')}`
}

const textIn = (block: object, field: string): string => {
  const value: unknown = Reflect.get(block, field)
  return typeof value === 'string' ? value : ''
}

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

/** In a fence that is longer than any inside. */
const fenced = (text: string, language = ''): string => {
  let longest = 2
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
