import type { AgentEvent } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createClaudeDecoder } from './decode.ts'
import {
  isBeside,
  isPlaceholder,
  isSettings,
  isSkipped,
  launchLine,
  storedTitle,
  streamLineOf,
  withOutput,
} from './file-lines.ts'
import { createFileTurns, type FileTurns, isPrompt } from './file-turns.ts'
import { createHiddenUsage, type HiddenUsage } from './hidden-usage.ts'
import { createSidechains, type Sidechains } from './sidechains.ts'

/**
 * Reads the file in which Claude Code stores a conversation. Its lines are those of the stream, with
 * other envelopes. What only the stream has is made from them: where a session and a turn begin and end.
 */
export const createClaudeFileDecoder = (options: DecoderOptions = {}): Decoder => {
  const parts: FileParts = {
    decoder: createClaudeDecoder(options),
    turn: createFileTurns(),
    sidechains: createSidechains(),
    hidden: createHiddenUsage(),
    seen: new Set(),
    settings: new Map(),
    nativeId: options.nativeId,
    parents: new Set(),
    started: undefined,
    early: [],
  }
  return {
    push: (line) => (isFields(line) ? decodeLine(parts, line) : parts.decoder.push(line)),
    end: () => [...endTurn(parts), ...parts.decoder.end(), ...reportHidden(parts)],
  }
}

interface FileParts {
  readonly decoder: Decoder
  readonly turn: FileTurns
  readonly sidechains: Sidechains
  readonly hidden: HiddenUsage
  /** The ids of lines. A compaction writes those that it keeps once more. */
  readonly seen: Set<string>
  /** The last value of each setting: they are written again and again. */
  readonly settings: Map<unknown, unknown>
  readonly nativeId: string | undefined
  /** The lines that prompts follow. */
  readonly parents: Set<unknown>
  started: Fields | undefined
  /** What came before the first line that describes the session. */
  early: Fields[]
}

const decodeLine = (parts: FileParts, given: Fields): AgentEvent[] => {
  const line = withOutput(given)
  if (isBeside(line) || isRepeated(parts, line)) return []
  if (line.isSidechain === true) return sidechain(parts, line)
  const { turn, hidden } = parts
  // Totals include what is not shown.
  if (line.type === 'cost-state') hidden.clear()
  const events = turn.isOver(line) ? endTurn(parts, line.durationMs) : []
  if (isSettings(line)) return [...events, ...settings(parts, line)]
  // A new process goes on from a prompt that nothing has answered.
  if (isPlaceholder(line)) return [...events, ...parts.decoder.end()]
  if (isSkipped(line)) {
    turn.note(line)
    return events
  }
  events.push(...goneBack(parts, line))
  const interrupted = turn.interrupted(line)
  if (interrupted !== undefined) {
    const cut = { ...answerEnd(interrupted, {}), aborted: true }
    events.push(...parts.decoder.push(cut))
  }
  events.push(...begin(parts, line))
  turn.note(line)
  events.push(...conversation(parts, line))
  if (turn.isCut()) events.push(...endTurn(parts))
  return events
}

const isRepeated = ({ seen }: FileParts, { uuid }: Fields): boolean => {
  const id = stringOf(uuid)
  if (id === undefined) return false
  if (seen.has(id)) return true
  seen.add(id)
  return false
}

/** A line of a subagent: below the call that started it. Without one, Claude Code itself needs it. */
const sidechain = (parts: FileParts, line: Fields): AgentEvent[] => {
  const call = parts.sidechains.callOf(line)
  if (call === undefined) {
    parts.hidden.note(line)
    return []
  }
  if (isSkipped(line)) return []
  return conversation(parts, { ...line, parent_tool_use_id: call })
}

const conversation = (parts: FileParts, line: Fields): AgentEvent[] => {
  parts.sidechains.note(line)
  const launch = launchLine(line)
  return [...(launch ? push(parts, launch) : []), ...push(parts, line)]
}

const push = ({ decoder }: FileParts, line: Fields): AgentEvent[] =>
  decoder.push(streamLineOf(line))

/** A prompt in the place of an earlier one: a person went back. What came after that one stays shown. */
const goneBack = ({ parents, started, decoder }: FileParts, line: Fields): AgentEvent[] => {
  const { parentUuid } = line
  if (!isPrompt(line) || parentUuid === undefined) return []
  const isBack = parents.has(parentUuid)
  parents.add(parentUuid)
  return isBack && started
    ? decoder.push({ type: 'system', subtype: 'informational', content: wentBack, level: 'info' })
    : []
}

const wentBack =
  'The conversation went back to an earlier message. The model no longer sees what came after it.'

const begin = (parts: FileParts, line: Fields): AgentEvent[] => {
  const { turn, decoder, started } = parts
  if (isPrompt(line)) {
    // The process that worked on the last prompt has died.
    const closed = turn.hasOpenCalls() ? decoder.end() : []
    return [...closed, ...init(parts, line)]
  }
  return isNewModel(line, started) || (!started && isConversation(line)) ? init(parts, line) : []
}

/** Starts a turn, with what the lines say about the session. */
const init = (parts: FileParts, line: Fields): AgentEvent[] => {
  const { decoder, nativeId, started } = parts
  const now = sessionOf(line)
  // A file has one session. Ids that are no ids are refused later.
  const own = isUuid(now.session_id) ? nativeId : undefined
  const sessionId = started?.session_id ?? own ?? now.session_id
  parts.started = { ...started, ...now, ...defined({ session_id: sessionId }) }
  const waiting = parts.early
  parts.early = []
  const begun = decoder.push({ type: 'system', subtype: 'init', ...parts.started })
  return [...begun, ...waiting.flatMap((each) => push(parts, each))]
}

const endTurn = (parts: FileParts, durationMs?: unknown): AgentEvent[] => {
  const { turn, decoder } = parts
  const id = turn.unexplained()
  const events = id === undefined ? [] : decoder.push(answerEnd(id, { stop_reason: 'end_turn' }))
  const result = turn.end()
  return result ? [...events, ...decoder.push({ ...result, duration_ms: durationMs })] : events
}

const reportHidden = ({ hidden, decoder, started }: FileParts): AgentEvent[] =>
  started ? hidden.take().flatMap((line) => decoder.push(line)) : []

/** Only a change of a setting is news. */
const settings = (parts: FileParts, line: Fields): AgentEvent[] => {
  const kind = line.type === 'permission-mode' ? 'mode' : 'title'
  const value = line.type === 'permission-mode' ? line.permissionMode : newTitle(parts, line)
  if (value === undefined || parts.settings.get(kind) === value) return []
  parts.settings.set(kind, value)
  if (parts.started) return push(parts, line)
  parts.early.push(line)
  return []
}

/** The title in a line. One that a person gave stays; a summary must be of this conversation. */
const newTitle = ({ settings: known, seen }: FileParts, line: Fields): unknown => {
  if (line.type === 'custom-title') known.set('own', true)
  else if (known.has('own')) return undefined
  if (line.type === 'summary' && !seen.has(stringOf(line.leafUuid) ?? '')) return undefined
  return storedTitle(line)
}

const isConversation = ({ type }: Fields): boolean =>
  type === 'user' || type === 'assistant' || type === 'system'

const isUuid = (id: unknown): boolean => typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id)

const sessionOf = (line: Fields): Fields =>
  defined({
    session_id: stringOf(line.sessionId),
    cwd: stringOf(line.cwd),
    claude_code_version: stringOf(line.version),
    permissionMode: stringOf(line.permissionMode),
    model: modelOf(line),
  })

const modelOf = (line: Fields): string | undefined => {
  const model = stringOf(fieldsOf(line.message).model)
  return model === '<synthetic>' ? undefined : model
}

/** The first answer of a model names it: a prompt does not. */
const isNewModel = (line: Fields, started: Fields | undefined): boolean => {
  if (line.type !== 'assistant') return false
  const model = modelOf(line)
  return model !== undefined && model !== started?.model
}

/** More of an answer: how it ended. */
const answerEnd = (id: unknown, message: Fields): Fields => ({
  type: 'assistant',
  message: { id, content: [], ...message },
})
