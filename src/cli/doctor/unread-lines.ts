import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import type { StampedEvent } from '../../events/types.ts'
import { databaseFile } from '../../log/sqlite/open-database.ts'
import { openSqliteReader } from '../../log/sqlite/sqlite-reader.ts'
import { redactText } from '../../redact/redact-text.ts'
import { redactValue } from '../../redact/redact-value.ts'
import { shortened } from '../../shared/shortened.ts'

/** Lines of agents that were not read, as the stored events show them. */
export interface UnreadLines {
  /** How many sessions and events were looked at. */
  sessions: number
  events: number
  /** Whether there was no time for the older sessions. */
  isPartial: boolean
  /** Lines that no decoder recognises. */
  unknown: number
  /** Lines that are no JSON, too long, too deep or too complex, and lines that were cut. */
  malformed: number
  samples: UnreadSample[]
}

/** One kind of line that was not read, without secrets. */
export interface UnreadSample {
  agent: string
  kind: string
  count: number
  /** The first such line, redacted and shortened; of a line that is no JSON, the error message. */
  line: string
}

const maxSamples = 8
const maxLineLength = 400

/** Counts the unread lines of the newest sessions. A server may have the log open meanwhile. */
export const findUnreadLines = async (data: string, budgetMs: number): Promise<UnreadLines> => {
  const found: UnreadLines = {
    ...{ sessions: 0, events: 0, isPartial: false, unknown: 0, malformed: 0 },
    samples: [],
  }
  if (!existsSync(databaseFile(data))) return found
  const reader = openSqliteReader(databaseFile(data))
  const deadline = Date.now() + budgetMs
  try {
    for (const { id, agent, damage } of await reader.sessions.list()) {
      if (damage) continue
      found.sessions += 1
      for await (const { texts } of reader.readText(id, 0)) {
        found.events += texts.length
        for (const text of texts) if (mayBeUnread.test(text)) addEvent(found, agent, text)
        if (Date.now() < deadline) continue
        found.isPartial = true
        return found
      }
    }
    return found
  } finally {
    await reader.close()
  }
}

const lineErrors = [
  'malformed_line',
  'line_too_long',
  'line_too_deep',
  'line_too_complex',
  'torn_line',
]
/** Only these few events are parsed. */
const mayBeUnread = new RegExp(`^\\{"type":"(?:raw"|error","code":"(?:${lineErrors.join('|')})")`)

const addEvent = (found: UnreadLines, sessionAgent: string, text: string): void => {
  const event: StampedEvent = JSON.parse(text)
  if (event.type === 'raw') {
    found.unknown += 1
    addSample(found.samples, event.agent, kindOf(event.line), () => redactedLine(event.line))
  } else if (event.type === 'error') {
    found.malformed += 1
    addSample(found.samples, sessionAgent, event.code, () => redact(event.message))
  }
}

const addSample = (
  samples: UnreadSample[],
  agent: string,
  kind: string,
  lineOf: () => string,
): void => {
  const known = samples.find((each) => each.agent === agent && each.kind === kind)
  if (known) known.count += 1
  else if (samples.length < maxSamples)
    samples.push({ agent, kind, count: 1, line: shortened(lineOf(), maxLineLength) })
}

/** The type of a line, as both agents name it. */
const kindOf = (line: unknown): string => {
  if (typeof line !== 'object' || line === null) return typeof line
  const { type, subtype }: { type?: unknown; subtype?: unknown } = line
  return (
    redact(shortened([type, subtype].filter((each) => typeof each === 'string').join(' '), 60)) ||
    'object'
  )
}

const redact = (text: string): string => redactText(text, { home: homedir() })

const redactedLine = (line: unknown): string =>
  JSON.stringify(redactValue(line, { text: redact, blob: () => undefined, keepImages: false }))
