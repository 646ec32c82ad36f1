import { defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createOpenMessage } from '../open-message.ts'
import type { OpenCodeCompaction } from './compaction.ts'
import {
  createOpenCodeDraft,
  type DraftEnd,
  type MessageInfo,
  type OpenCodeDraft,
} from './draft.ts'
import type { OpenCodeOutcome, OpenCodeRun } from './run.ts'
import { createOpenCodeThreads, type OpenCodeThread, type OpenCodeThreads } from './thread.ts'
import type { OpenCodeCall, OpenCodeTools } from './tools.ts'
import { createUserMessages, isContinuation, type OpenCodeUserMessages } from './user-messages.ts'
import { isAbort, isOverflow, type ReportedError, stopReasonOf, usageOf } from './wire.ts'

/**
 * The messages of a stream, by session: the main one, and one for each subagent. A message is made
 * of parts. `run` prints each part when it is complete, `serve` also while it grows.
 */
export interface OpenCodeMessages {
  /** A part. False if its type is unknown. */
  part(part: Fields): boolean
  /** More text of a part. */
  delta(properties: Fields): void
  /** A message as `serve` reports it, without its parts. */
  message(info: Fields): void
  /** The main session reports an error. The run may go on after it. */
  fail(error: ReportedError): void
  /** A line follows that is not a part of this message. */
  flush(nextMessageId?: string): void
  /** Whether an assistant message is open. */
  isOpen(): boolean
  /** The run is over: ends the messages that are open. */
  close(): void
}

export interface MessagesOptions {
  /** Prefix of the ids that messages without one get. */
  scope: string
  emit: Emit
  run: OpenCodeRun
  tools: OpenCodeTools
  compaction: OpenCodeCompaction
  /** The call that a session of a subagent belongs to; undefined for the main session. */
  parentOf(sessionId: string): string | undefined
  /** A call was refused, and the run ends after its step. Returns how. */
  refused(call: OpenCodeCall): OpenCodeOutcome
}

interface State extends MessagesOptions {
  readonly threads: OpenCodeThreads
  readonly users: OpenCodeUserMessages
  readonly infos: Map<string, MessageInfo>
  /** Messages whose step is over. */
  readonly over: Set<string>
  newId(nativeId: string): string
  /** The last message of the main thread, as long as it may turn out to be a summary. */
  last: { messageId: string; text: string } | undefined
  /** An error that belongs to no message. */
  error: ReportedError | undefined
  /** How the run ends after this step, because a call of it was refused. */
  refusal: OpenCodeOutcome | undefined
}

export const createOpenCodeMessages = (options: MessagesOptions): OpenCodeMessages => {
  const newId = createIds()
  const state: State = {
    ...options,
    newId,
    threads: createOpenCodeThreads(options.emit, options.parentOf),
    users: createUserMessages({ ...options, newId }),
    infos: new Map(),
    over: new Set(),
    last: undefined,
    error: undefined,
    refusal: undefined,
  }
  return {
    part: (part) => addPart(state, part),
    delta({ sessionID, partID, field, delta }) {
      const { draft } = state.threads.find(stringOf(sessionID) ?? '') ?? {}
      if (field === 'text') draft?.delta(stringOf(partID) ?? '', stringOf(delta) ?? '')
    },
    message(info) {
      state.infos.set(stringOf(info.id) ?? '', {
        isUser: info.role === 'user',
        isSummary: info.role === 'assistant' && info.summary === true,
        ...defined({ model: stringOf(info.modelID), provider: stringOf(info.providerID) }),
      })
    },
    fail: (error) => fail(state, error),
    flush: state.users.flush,
    isOpen: () => [...state.threads.all()].some(({ draft }) => draft !== undefined),
    close() {
      state.users.flush()
      for (const thread of state.threads.all()) finish(state, thread, cut('interrupted'))
      if (state.error) emitError(state, state.error)
      state.error = undefined
      state.last = undefined
    },
  }
}

/** The native id, or another one if it was used: a failed call is made again in its message. */
const createIds = () => {
  const used = new Set<string>()
  return (nativeId: string): string => {
    let id = nativeId
    for (let number = 2; used.has(id); number += 1) id = `${nativeId}.${number}`
    used.add(id)
    return id
  }
}

const addPart = (state: State, part: Fields): boolean => {
  const nativeId = stringOf(part.messageID) ?? ''
  const thread = state.threads.of(stringOf(part.sessionID) ?? '')
  if (state.infos.get(nativeId)?.isUser ?? part.synthetic === true) {
    if (isContinuation(part)) noteSummary(state)
    state.users.part(thread, nativeId, part)
    return true
  }
  switch (part.type) {
    case 'step-start':
      startStep(state, thread, nativeId)
      return true
    case 'text':
    case 'reasoning':
      draftOf(state, thread, nativeId)?.text(part, part.type === 'text' ? 'text' : 'thinking')
      return true
    case 'tool':
      addTool(state, thread, nativeId, part)
      return true
    case 'step-finish':
      endStep(state, thread, nativeId, part)
      return true
    default:
      return otherParts.has(stringOf(part.type) ?? '')
  }
}

/** Parts that show nothing to a person, or that a line of the session reports as well. */
const otherParts = new Set(['snapshot', 'patch', 'agent', 'retry', 'file', 'compaction', 'subtask'])

/** A second start in the same message: the model call failed and is made again. */
const startStep = (state: State, thread: OpenCodeThread, nativeId: string) => {
  const { draft } = thread
  if (draft?.nativeId !== nativeId) return void begin(state, thread, nativeId)
  if (draft.isEmpty()) return
  draft.finish({ stopReason: 'error' }, { reason: 'error' })
  thread.draft = undefined
  if (!draft.isSummary)
    thread.emit({ type: 'message_withdrawn', messageId: draft.messageId, reason: 'retried' })
  openDraft(state, thread, nativeId)
}

/** The draft of a part; undefined if its message is over. */
const draftOf = (
  state: State,
  thread: OpenCodeThread,
  nativeId: string,
): OpenCodeDraft | undefined => {
  if (thread.draft?.nativeId === nativeId) return thread.draft
  return state.over.has(nativeId) ? undefined : begin(state, thread, nativeId)
}

const isSummary = ({ infos, compaction }: State, nativeId: string): boolean =>
  infos.get(nativeId)?.isSummary ?? compaction.isOpen()

const begin = (state: State, thread: OpenCodeThread, nativeId: string): OpenCodeDraft => {
  finish(state, thread, cut('abandoned'))
  if (thread.parent === undefined) {
    if (state.error) emitNotice(state, state.error)
    state.error = undefined
    state.last = undefined
    state.run.note({})
    if (!isSummary(state, nativeId)) state.run.startTurn()
  }
  state.run.ensure()
  return openDraft(state, thread, nativeId)
}

/** The draft of a summary emits nothing: `compaction_end` has its text. */
const openDraft = (state: State, thread: OpenCodeThread, nativeId: string): OpenCodeDraft => {
  const info = state.infos.get(nativeId)
  const isHidden = thread.parent === undefined && isSummary(state, nativeId)
  if (isHidden) state.compaction.start('threshold')
  const messageId = state.newId(nativeId)
  const emit = isHidden ? () => {} : thread.emit
  const draft = createOpenCodeDraft({ nativeId, messageId, info, emit, isSummary: isHidden })
  thread.draft = draft
  return draft
}

const addTool = (state: State, thread: OpenCodeThread, nativeId: string, part: Fields) => {
  const draft = draftOf(state, thread, nativeId)
  const { status, metadata } = fieldsOf(part.state)
  const child = stringOf(fieldsOf(metadata).sessionId)
  const childThread = child === undefined ? undefined : state.threads.find(child)
  if (childThread?.parent !== undefined && (status === 'completed' || status === 'error'))
    finish(state, childThread, cut('interrupted'))
  if (draft?.isSummary) return
  state.run.ensure()
  const call = state.tools.part(part, thread.emit, (now) => draft?.tool(now))
  if (!call.isRejected) return
  state.refusal = state.refused(call)
  state.run.note(state.refusal)
}

const endStep = (state: State, thread: OpenCodeThread, nativeId: string, part: Fields) => {
  if (!draftOf(state, thread, nativeId)) return
  const end = { stopReason: stopReasonOf(part.reason) ?? 'stop', usage: usageOf(part) }
  finish(state, thread, { end })
}

interface Finish {
  end: DraftEnd
  /** Set if the message is not complete. */
  reason?: string
}

const cut = (stopReason: string): Finish => ({ end: { stopReason }, reason: stopReason })

/** Ends the message that is open, and emits those that waited for it. */
const finish = (state: State, thread: OpenCodeThread, { end, reason }: Finish) => {
  const { draft } = thread
  if (draft) {
    thread.draft = undefined
    state.over.add(draft.nativeId)
    const { errorMessage } = end
    draft.finish(end, reason === undefined ? undefined : { reason, ...defined({ errorMessage }) })
    if (draft.isSummary) endSummary(state, draft, end, reason)
    else if (thread.parent === undefined) endTurn(state, draft, end)
  }
  for (const emitWaiting of thread.waiting.splice(0)) emitWaiting()
}

const endTurn = (state: State, draft: OpenCodeDraft, end: DraftEnd) => {
  const { stopReason, errorMessage, usage } = end
  const refusal = stopReason === 'toolUse' ? state.refusal : undefined
  state.refusal = undefined
  state.run.endTurn(stopReason, usage)
  state.run.note(refusal ?? { stopReason, ...defined({ errorMessage }) })
  state.last = { messageId: draft.messageId, text: draft.plainText() }
}

const endSummary = (
  { compaction }: State,
  draft: OpenCodeDraft,
  { usage, errorMessage }: DraftEnd,
  reason: string | undefined,
) => {
  if (reason === undefined) compaction.end({ summary: draft.plainText(), usage })
  else if (errorMessage !== undefined) compaction.end({ errorMessage, usage })
}

/** `run` does not mark a summary. The text that follows it shows that the last message was one. */
const noteSummary = (state: State) => {
  const { last, compaction, emit } = state
  state.last = undefined
  if (!last || compaction.isOpen()) return
  compaction.start('threshold')
  compaction.end({ summary: last.text })
  emit({ type: 'message_withdrawn', messageId: last.messageId, reason: 'abandoned' })
}

const fail = (state: State, error: ReportedError) => {
  state.run.ensure()
  const main = [...state.threads.all()].find(({ parent }) => parent === undefined)
  const isAborted = isAbort(error)
  const stopReason = isAborted ? 'aborted' : 'error'
  const fields = isAborted
    ? {}
    : { errorMessage: error.message, ...defined({ errorDetails: error.details }) }
  if (main?.draft) finish(state, main, { end: { stopReason, ...fields }, reason: stopReason })
  else if (isOverflow(error)) state.compaction.start('overflow')
  else if (!isAborted) state.error = error
  state.run.note(isAborted ? { stopReason } : { stopReason, errorMessage: error.message })
}

const emitNotice = ({ emit }: State, { message }: ReportedError) =>
  emit({ type: 'session_update', notice: { level: 'error', text: message } })

/** An error before the model answered: nothing else shows it. */
const emitError = ({ emit, run, newId, scope }: State, { message, details }: ReportedError) => {
  run.ensure()
  const messageId = newId(`${scope}error`)
  emit({ type: 'message_start', messageRole: 'assistant', messageId })
  createOpenMessage(messageId, emit).finish(
    {
      ...{ role: 'assistant', content: [], stopReason: 'error', synthetic: true },
      ...{ errorMessage: message, ...defined({ errorDetails: details }) },
    },
    { reason: 'error', errorMessage: message },
  )
}
