import type { AgentEvent } from '../../events/types.ts'
import { type Fields, isFields, listOf, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createGeminiDecoder } from './decode.ts'
import { answerLine, callsOf, promptOf, recordedParts, workspaceOf } from './file-records.ts'

/** Whether a line is from a session file: a header, a message, or a change of what came before. */
export const isGeminiFileLine = (line: unknown): boolean =>
  isFields(line) &&
  (isHeader(line) ||
    isFields(line.$set) ||
    stringOf(line.$rewindTo) !== undefined ||
    (stringOf(line.id) !== undefined && recordTypes.has(line.type)))

const isHeader = ({ sessionId, projectHash }: Fields): boolean =>
  stringOf(sessionId) !== undefined && stringOf(projectHash) !== undefined

const recordTypes: ReadonlySet<unknown> = new Set(['user', 'gemini', 'info', 'warning', 'error'])

/**
 * Reads the file in which Gemini CLI stores a conversation. A message with calls is written again when
 * they are done, and a resumed session repeats all messages: each is decoded once, by its id.
 */
export const createGeminiFileDecoder = (options: DecoderOptions = {}): Decoder => {
  const decoder = createGeminiDecoder(options)
  const parts: FileParts = {
    decoder,
    seen: new Set(),
    calls: new Set(),
    session: {},
    current: undefined,
    isAnswered: false,
    hasFailed: false,
  }
  return {
    push: (line) =>
      isFields(line) && isGeminiFileLine(line) ? decodeLine(parts, line) : decoder.push(line),
    end: () => [...endRun(parts), ...decoder.end()],
  }
}

interface FileParts {
  readonly decoder: Decoder
  /** Ids of messages. */
  readonly seen: Set<string>
  /** Ids of calls. */
  readonly calls: Set<string>
  session: Fields
  /** The answer that was written last. It may be written again. */
  current: Fields | undefined
  /** Whether the run is over if nothing follows: the model has answered, and called no tool. */
  isAnswered: boolean
  hasFailed: boolean
}

const decodeLine = (parts: FileParts, line: Fields): AgentEvent[] => {
  if (isHeader(line)) return header(parts, line)
  // What was taken back has been shown, and was paid for.
  if (line.$rewindTo !== undefined) return []
  if (isFields(line.$set)) return history(parts, line.$set)
  return record(parts, line)
}

const header = (parts: FileParts, line: Fields): AgentEvent[] => {
  const [cwd] = listOf(line.directories)
  parts.session = {
    ...parts.session,
    session_id: line.sessionId,
    ...(cwd !== undefined && { cwd }),
  }
  return history(parts, line)
}

/**
 * All messages so far, as the next request will have them. They are news only in a file that begins
 * with those of an older one.
 */
const history = (parts: FileParts, { messages }: Fields): AgentEvent[] => {
  const records = listOf(messages).filter(isFields)
  const isNews = parts.seen.size === 0
  const events: AgentEvent[] = []
  for (const each of records) {
    const cwd = workspaceOf(each)
    if (cwd !== undefined) parts.session = { ...parts.session, cwd }
    else if (isNews) events.push(...record(parts, each))
  }
  return events
}

const record = (parts: FileParts, line: Fields): AgentEvent[] => {
  switch (line.type) {
    case 'user':
      return user(parts, line)
    case 'gemini':
      return answer(parts, line)
    default:
      return notice(parts, line)
  }
}

/** Whether a message comes for the first time. */
const isNew = ({ seen }: FileParts, { id }: Fields): boolean => {
  const key = stringOf(id) ?? ''
  if (seen.has(key)) return false
  seen.add(key)
  return true
}

const user = (parts: FileParts, line: Fields): AgentEvent[] => {
  if (!isNew(parts, line) || workspaceOf(line) !== undefined) return []
  const prompt = promptOf(line)
  if (!prompt) return resultsIn(parts, line)
  const { decoder } = parts
  // Without an answer, the process that worked on the last prompt was stopped.
  const before = [...endRun(parts), ...decoder.end()]
  return [...before, ...begin(parts, line), ...decoder.push(prompt)]
}

const begin = (parts: FileParts, { timestamp }: Fields): AgentEvent[] =>
  parts.decoder.push({ type: 'init', timestamp, ...parts.session })

/** The results of calls that a message has as parts. Other messages have them as calls. */
const resultsIn = (parts: FileParts, line: Fields): AgentEvent[] =>
  recordedParts(line)
    .flatMap(({ results }) => results)
    .filter(({ tool_id: id }) => parts.calls.delete(String(id)))
    .flatMap((result) => parts.decoder.push(result))

const answer = (parts: FileParts, line: Fields): AgentEvent[] => {
  const isAgain = parts.current?.id === line.id
  // A resumed session repeats it.
  if (!isNew(parts, line) && !isAgain) return []
  const { decoder, current } = parts
  parts.current = line
  const model = stringOf(line.model)
  const events: AgentEvent[] = []
  if (model !== undefined && model !== parts.session.model) {
    parts.session = { ...parts.session, model }
    events.push(...begin(parts, line))
  }
  const made = answerLine(line, isAgain ? current : undefined)
  if (made) events.push(...decoder.push(made))
  const calls = [...callsOf(line), ...recordedParts(line)]
  const started = calls
    .flatMap(({ call }): Fields[] => (call ? [call] : []))
    .filter(isNewCall(parts))
  const done = calls.flatMap(({ results }) => results).filter(isOpenCall(parts))
  // Without a text, the model has called tools, and the process was stopped before they were written.
  const isText = recordedParts(line).some(({ text }) => text !== '')
  parts.isAnswered = isText && calls.every(({ call }) => !call)
  return [...events, ...[...started, ...done].flatMap((each) => decoder.push(each))]
}

const isNewCall =
  ({ calls, seen }: FileParts) =>
  ({ tool_id: id }: Fields): boolean => {
    const key = `call ${String(id)}`
    if (seen.has(key)) return false
    seen.add(key)
    calls.add(String(id))
    return true
  }

const isOpenCall =
  ({ calls }: FileParts) =>
  ({ tool_id: id }: Fields): boolean =>
    calls.delete(String(id))

const notice = (parts: FileParts, line: Fields): AgentEvent[] => {
  if (!isNew(parts, line)) return []
  if (line.type === 'error') parts.hasFailed = true
  const message = recordedParts(line)
    .map(({ text }) => text)
    .join('')
  return parts.decoder.push({ type: 'error', severity: line.type, message })
}

const endRun = (parts: FileParts): AgentEvent[] => {
  const { isAnswered, hasFailed, decoder } = parts
  parts.isAnswered = false
  parts.hasFailed = false
  parts.current = undefined
  parts.calls.clear()
  if (hasFailed) return decoder.push({ type: 'result', status: 'error' })
  return isAnswered ? decoder.push({ type: 'result', status: 'success' }) : []
}
