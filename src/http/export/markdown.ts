import { sessionName } from '../../api/session-name.ts'
import type { Block, Snapshot } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { createBoundedFold } from '../../transcript/bounded-fold.ts'
import { emptyTranscript, toSnapshot, transcriptOfEntries } from '../../transcript/index.ts'

type Message = Snapshot['messages'][number]

/** So many characters of a long session are in memory at a time. */
const partChars = 8 * 1024 * 1024

/** A session as a readable page, in chunks. What a snapshot leaves out is read from the log. */
export const exportMarkdown = async function* (
  log: Pick<Log, 'readText'>,
  record: SessionRecord,
  latest: Snapshot,
  maxChars = partChars,
): AsyncGenerator<string> {
  yield headerOf(record, latest)
  let snapshot = latest
  if (latest.omitted !== undefined)
    for await (snapshot of readParts(log, latest, maxChars)) yield* sectionsOf(snapshot)
  else yield* sectionsOf(latest)
  if (snapshot.partial) yield `\n${sectionOf(snapshot.partial)}\n*This message is incomplete.*\n`
}

const sectionsOf = function* ({ messages }: Snapshot): Generator<string> {
  for (const message of messages) yield `\n${sectionOf(message)}`
}

/** The whole conversation up to the event of a snapshot, in parts. */
const readParts = async function* (
  log: Pick<Log, 'readText'>,
  { sessionId, projectId, seq }: Snapshot,
  maxChars: number,
): AsyncGenerator<Snapshot> {
  const fold = createBoundedFold(emptyTranscript(sessionId), maxChars)
  for await (const { texts } of log.readText(sessionId, 0, seq))
    for (const text of texts) {
      const older = fold.push(text)
      if (older.length > 0) yield toSnapshot(transcriptOfEntries(older), { projectId })
    }
  yield toSnapshot(fold.get(), { projectId })
}

const headerOf = (record: SessionRecord, { name, model }: Snapshot): string => {
  const fields = [
    ['Agent', record.agent],
    ['Model', model ?? record.model],
    ['Directory', record.cwd],
    ['Created', new Date(record.createdAt).toISOString()],
    ['Session', record.id],
  ]
  const lines = fields.flatMap(([label, value]) =>
    value === undefined ? [] : `- ${label}: ${value}`,
  )
  return `# ${oneLine(sessionName({ ...(name !== undefined && { name }), ...record }))}\n\n${lines.join('\n')}\n`
}

const sectionOf = (message: Message): string =>
  message.role === 'toolResult' ? resultOf(message) : messageOf(message)

const titles = {
  user: 'User',
  assistant: 'Assistant',
  system: 'System',
  custom: 'Extension',
  compactionSummary: 'Context compacted',
} as const

const compactionNote =
  '*From here on, the model sees this summary instead of the older messages above.*'

const messageOf = (message: Exclude<Message, { role: 'toolResult' }>): string => {
  const parts = message.content.map(blockOf)
  if (message.role === 'compactionSummary') parts.unshift(compactionNote)
  if (message.errorMessage !== undefined) parts.push(`**Error:** ${oneLine(message.errorMessage)}`)
  return `## ${titles[message.role]}\n\n${parts.join('\n\n')}\n`
}

const resultOf = (result: Extract<Message, { role: 'toolResult' }>): string => {
  const outcome = result.isError ? ' failed' : ''
  return `### ${oneLine(result.toolName)}${outcome}\n\n${result.content.map(outputOf).join('\n\n')}\n`
}

/** The output of a tool is not Markdown, so it goes into a code fence. */
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
    case 'attachedFile':
      return `*(file: ${oneLine(textIn(block, 'name'))})*`
    default:
      return fenced(JSON.stringify(block, null, 2), 'json')
  }
}

const callOf = (block: Block): string => {
  const args = 'arguments' in block ? block.arguments : undefined
  return `**${oneLine(textIn(block, 'name'))}**\n\n${fenced(JSON.stringify(args ?? {}, null, 2), 'json')}`
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

/** Text in a code fence that is longer than every fence in the text. */
const fenced = (text: string, language = ''): string => {
  let longest = 2
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
