import { type Fields, fieldsOf, isFields, numberOf, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createServeDecoder } from './serve-stream.ts'
import { isOverflow, isRejection, reportedErrorOf } from './wire.ts'

/**
 * Reads what OpenCode stores of a session: the rows of its table `event`, which are the events of
 * `opencode serve` under other names, without deltas and without the state of the session. Where a run
 * ends follows from its messages.
 */
export const createStoreDecoder = (options: DecoderOptions = {}): Decoder => {
  const decoder = createServeDecoder(options)
  const lines = createServeLines()
  return {
    push: (line) =>
      isFields(line) ? lines.of(line).flatMap((made) => decoder.push(made)) : decoder.push(line),
    end: (exit) => [...lines.end().flatMap((made) => decoder.push(made)), ...decoder.end(exit)],
  }
}

/** Whether a line is a row of the table `event`. */
export const isStoreLine = (line: unknown): boolean =>
  isFields(line) && isFields(line.data) && numberOf(line.seq) !== undefined && isVersioned(line)

const isVersioned = ({ type }: Fields): boolean => /\.\d+$/.test(stringOf(type) ?? '')

/** The lines that `opencode serve` would have sent, made from rows. */
interface ServeLines {
  of(row: Fields): Fields[]
  /** No more rows come. */
  end(): Fields[]
}

const createServeLines = (): ServeLines => {
  /** The ids of the messages that a fork has copied, by the ids of their copies. */
  const originals = new Map<string, string>()
  const failed = new Set<unknown>()
  /** Messages with a call that a person refused: the run ends after them. */
  const refused = new Set<unknown>()
  const seen = new Set<unknown>()
  let mainId: string | undefined
  /** A message that was complete before its parts came, as those of a fork are: it ends a run. */
  let early: { messageId: unknown; idle: Fields } | undefined
  /** A compaction that a person started: the run ends after its summary. */
  let isManualCompaction = false

  const idOf = (id: unknown): unknown => originals.get(stringOf(id) ?? '') ?? id

  const message = (line: Fields, info: Fields): Fields[] => {
    const made = [withProperties(line, { info })]
    if (info.role !== 'assistant' || info.sessionID !== mainId) return made
    const { error } = info
    if (isFields(error) && !failed.has(info.id)) {
      failed.add(info.id)
      made.push(ofSession(line, 'session.error', { error }))
    }
    const isFirst = !seen.has(info.id)
    seen.add(info.id)
    if (!isLast(info)) return made
    const idle = ofSession(line, 'session.idle', {})
    if (!isFirst) return [...made, idle]
    early = { messageId: info.id, idle }
    return made
  }

  /** The end of a run, when no more parts of its last message come. */
  const settle = (messageId: unknown): Fields[] => {
    if (!early || early.messageId === messageId) return []
    const { idle } = early
    early = undefined
    return [idle]
  }

  const isLast = (info: Fields): boolean => {
    const { completed } = fieldsOf(info.time)
    if (completed === undefined) return false
    if (isFields(info.error)) return !isOverflow(reportedErrorOf(info.error))
    if (info.summary === true) return isManualCompaction
    return info.finish !== 'tool-calls' || refused.has(info.id)
  }

  const part = (line: Fields, given: Fields): Fields[] => {
    const made = { ...given, messageID: idOf(given.messageID) }
    if (given.type === 'compaction') isManualCompaction = given.auto === false
    if (given.type === 'tool' && isRejection(fieldsOf(given.state))) refused.add(made.messageID)
    return [withProperties(line, { part: made })]
  }

  const updated = (line: Fields, info: Fields, copyOf: string | undefined): Fields[] => {
    if (copyOf !== undefined) originals.set(stringOf(info.id) ?? '', copyOf)
    const id = idOf(info.id)
    return [...settle(id), ...message(line, { ...info, id, parentID: idOf(info.parentID) })]
  }

  return {
    of(row) {
      const data = fieldsOf(row.data)
      const type = (stringOf(row.type) ?? '').replace(/\.\d+$/, '')
      const line: Fields = { id: row.id, type, properties: data }
      mainId ??= stringOf(data.sessionID)
      if (type === 'message.updated')
        return updated(line, fieldsOf(data.info), stringOf(row.copyOf))
      if (type === 'message.part.updated') {
        const given = fieldsOf(data.part)
        return [...settle(idOf(given.messageID)), ...part(line, given)]
      }
      return [...settle(undefined), ...(isServeEvent.test(type) ? [line] : [row])]
    },
    end: () => settle(undefined),
  }
}

const isServeEvent = /^(?:session|message|todo|permission|question)\./

const withProperties = (line: Fields, fields: Fields): Fields => ({
  ...line,
  properties: { ...fieldsOf(line.properties), ...fields },
})

const ofSession = ({ id, properties }: Fields, type: string, fields: Fields): Fields => ({
  ...{ id, type },
  properties: { sessionID: fieldsOf(properties).sessionID, ...fields },
})
