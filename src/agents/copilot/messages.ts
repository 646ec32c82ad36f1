import type { Message, Usage } from '../../events/types.ts'
import { defined, type Fields, stringOf } from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'
import { createMessageDraft, type MessageDraft } from '../message-draft.ts'
import type { MessageFailure } from '../open-message.ts'
import { timestampOf, toolRequestsOf, usageOf } from './wire.ts'

/** Copilot’s messages, by thread: the main one, and one for each subagent. */
export interface Messages {
  /** The thread of a subagent’s call; without a call, the main one. */
  thread(parentToolCallId: string | undefined): CopilotThread
  /** A `user.message` line. */
  user(thread: CopilotThread, line: Fields, data: Fields): void
  /** The message in flight. One begins if there is none. */
  begin(thread: CopilotThread): MessageDraft
  /** An `assistant.message` line: the whole message. Its usage and its thinking may still follow. */
  whole(thread: CopilotThread, line: Fields, data: Fields): void
  /** An `assistant.reasoning` line, which comes after its message. */
  reasoning(thread: CopilotThread, data: Fields): void
  /** The usage of a model call. It comes before or after its message. */
  usage(thread: CopilotThread, data: Fields): void
  /** Ends the messages that are whole. */
  settle(): void
  /** The model call failed and is made again: withdraws its message. */
  withdraw(thread: CopilotThread): void
  /** Ends the message of a thread as far as it came. */
  fail(thread: CopilotThread, failure: MessageFailure): void
  /** Ends all messages as far as they came. */
  close(failure: MessageFailure): void
}

/** The messages of the main agent, or of a subagent. */
export interface CopilotThread {
  /** The call of the subagent; undefined for the main thread. */
  readonly parent: string | undefined
  readonly emit: Emit
  model: string | undefined
  draft: MessageDraft | undefined
  /** How the draft ends, once it is whole. */
  final: Omit<Message, 'role' | 'content'> | undefined
  /** The usage of the message that follows. */
  nextUsage: Usage | undefined
}

export interface MessagesOptions {
  /** Prefix of the ids of messages. */
  scope: string
  emit: Emit
  /** Called when an assistant message begins. */
  onBegin(): void
}

export const createMessages = ({ scope, emit, onBegin }: MessagesOptions): Messages => {
  const threads = new Map<string | undefined, CopilotThread>()
  let count = 0
  const newId = () => `${scope}m${++count}`

  const begin = (thread: CopilotThread): MessageDraft => {
    settleThread(thread)
    if (thread.draft) return thread.draft
    onBegin()
    thread.draft = createMessageDraft(newId(), thread.emit, thread.model)
    return thread.draft
  }

  return {
    thread(parent) {
      const found = threads.get(parent)
      if (found) return found
      const none = { model: undefined, draft: undefined, final: undefined, nextUsage: undefined }
      const thread: CopilotThread = { parent, emit: inside(emit, parent), ...none }
      threads.set(parent, thread)
      return thread
    },
    user(thread, line, data) {
      failThread(thread, interrupted)
      emitUser(thread.emit, newId(), line, data)
    },
    begin,
    whole(thread, line, data) {
      const draft = begin(thread)
      complete(draft, data)
      const usage = thread.nextUsage ?? usageOf({ outputTokens: data.outputTokens })
      thread.nextUsage = undefined
      if (usage) draft.usage(usage)
      thread.final = finalFields(line, data)
    },
    reasoning({ draft, final }, data) {
      if (draft && final && !draft.has(thinkingBlockName))
        draft.complete('thinking', thinkingBlockName, stringOf(data.content) ?? '')
    },
    usage(thread, data) {
      const usage = usageOf(data)
      if (usage && thread.final) thread.draft?.usage(usage)
      else thread.nextUsage = usage
    },
    settle: () => threads.forEach(settleThread),
    withdraw(thread) {
      const messageId = failThread(thread, { reason: 'error' })
      if (messageId !== undefined)
        thread.emit({ type: 'message_withdrawn', messageId, reason: 'retried' })
    },
    fail: failThread,
    close: (failure) => threads.forEach((thread) => void failThread(thread, failure)),
  }
}

/** How a message ends that the agent did not finish. */
export const interrupted: MessageFailure = { reason: 'interrupted' }

/** The names of the two blocks that are no tool calls. No id of a call looks like these. */
export const thinkingBlockName = '(thinking)'
export const textBlockName = '(text)'

const settleThread = (thread: CopilotThread): void => {
  const { draft, final } = thread
  if (!draft || !final) return
  thread.draft = undefined
  thread.final = undefined
  draft.finish(final)
}

/** Ends the message in flight. Returns its id, if there was one. */
const failThread = (thread: CopilotThread, failure: MessageFailure): string | undefined => {
  settleThread(thread)
  const { draft } = thread
  thread.draft = undefined
  draft?.finish({}, failure)
  return draft?.id
}

const complete = (draft: MessageDraft, data: Fields): void => {
  const [thinking, text] = [stringOf(data.reasoningText), stringOf(data.content)]
  if (thinking !== undefined) draft.complete('thinking', thinkingBlockName, thinking)
  if (text !== undefined) draft.complete('text', textBlockName, text)
  for (const { toolCallId, toolName, input } of toolRequestsOf(data))
    draft.endTool(toolCallId, toolName, input)
}

const finalFields = (line: Fields, data: Fields): NonNullable<CopilotThread['final']> => ({
  ...defined({
    model: stringOf(data.model),
    timestamp: timestampOf(line),
    nativeId: stringOf(data.messageId),
  }),
  // Copilot reports no reason for the end of a message. One with calls goes on with their results.
  ...(toolRequestsOf(data).length > 0 && { stopReason: 'toolUse' }),
})

const emitUser = (emit: Emit, messageId: string, line: Fields, data: Fields): void => {
  const content = stringOf(data.content) ?? ''
  emit({ type: 'message_start', messageRole: 'user', messageId })
  emit({
    type: 'message_end',
    messageId,
    message: {
      role: 'user',
      content: content === '' ? [] : [{ type: 'text', text: content }],
      ...defined({ timestamp: timestampOf(line), nativeId: stringOf(data.messageId) }),
      // Skills and the autopilot add messages of their own.
      ...(isOfPerson(data) ? {} : { synthetic: true }),
    },
  })
}

const isOfPerson = ({ source, isAutopilotContinuation }: Fields): boolean =>
  (source === undefined || source === 'user') && isAutopilotContinuation !== true
