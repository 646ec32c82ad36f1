import { existsSync } from 'node:fs'
import type { Accepted, SessionInfo } from '../../api/types.ts'
import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import type { ReadCursor } from '../../client/stream/event-cursor.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { CommandResult } from '../../session/conversation/session.ts'
import type { AgentChoices } from '../chat/agent-choices.ts'
import type { ChatAttachments, ChatBackend } from '../chat/chat-backend.ts'
import { shortId } from '../find-session.ts'
import { offerTrust } from '../trust-question.ts'
import { createOwnMessages, type OwnMessages } from './own-messages.ts'
import { answerOnServer, previewOnServer } from './server-approvals.ts'
import { openServerFeed, type ServerFeed } from './server-feed.ts'
import {
  removeServerRule,
  serverChoices,
  serverHistory,
  serverRules,
  serverTrust,
} from './server-reads.ts'
import { createServerState, type ServerState, untilIdle } from './server-state.ts'

export interface ServerChatOptions {
  client: Client
  session: SessionInfo
  /** Prints what a person should know about the connection. */
  notice(text: string): void
}

/** A chat over a server: events arrive by its stream, and everything typed becomes a call. */
export const openServerChat = async (options: ServerChatOptions): Promise<ChatBackend> => {
  const { client, session, notice } = options
  const { id } = session
  const state = createServerState(session)
  for (const request of await client.approvals.list({ sessionId: id })) state.addRequest(request)
  const own = createOwnMessages()
  const choices = await serverChoices(client, session)
  let cursor: ReadCursor = 0
  let feed: ServerFeed | undefined

  return {
    id,
    choices,
    ...settingCalls(client, id),
    outlivesChat: true,
    readOnly: readOnlyReason(session),
    directory: existsSync(session.cwd) ? session.cwd : undefined,
    listen(listener) {
      feed = followSession(options, { after: cursor, state, own, listener })
    },
    async history(limit) {
      const found = await serverHistory(client, id, limit)
      cursor = found.cursor
      return found
    },
    offerTrust: async () => void (await offerTrust(serverTrust(client), session)),
    isBusy: () => state.isRunning || state.sending > 0,
    ...messageCalls(options, { state, own, choices, feedNow: () => feed }),
    async abort() {
      try {
        await client.sessions.abort(id)
      } catch (cause) {
        if (!(cause instanceof ApiError)) throw cause
        return notice(`Not stopped: ${cause.detail}`)
      }
      await feed?.until(() => !state.isRunning)
    },
    idle: async () => void (feed && (await untilIdle(client, id, feed, state))),
    pendingApprovals: () => [...state.pending.values()],
    previewRequest: (request) => previewOnServer(client, request),
    answer: (approvalId, decision) =>
      answerOnServer(client, state.pending.get(approvalId), decision),
    rules: () => serverRules(client, id),
    removeRule: (ruleId) => removeServerRule(client, id, ruleId),
    kill() {},
    async close() {
      feed?.close()
      await feed?.ended.catch(() => {})
    },
  }
}

const readOnlyReason = ({ id, watched, imported }: SessionInfo): string | undefined => {
  if (imported) return 'imported, so it is read-only'
  if (!watched) return undefined
  return `its agent runs outside Sluice: write to it there; only its questions can be answered here. To let Sluice run it, use \`sluice continue ${shortId(id)}\``
}

interface FollowOptions {
  after: ReadCursor
  state: ServerState
  own: OwnMessages
  listener(event: StampedEvent): void
}

/** Passes the events on, and keeps the state of the chat up to date. */
const followSession = (
  { client, session, notice }: ServerChatOptions,
  { after, state, own, listener }: FollowOptions,
): ServerFeed => {
  const feed = openServerFeed(client, session.id, {
    after,
    notice,
    onEvent(event) {
      const isNew = state.accept(event)
      if (isNew && !own.isEcho(event)) listener(event)
    },
    onSnapshot({ isStreaming, approvals = [] }) {
      notice('Some events are not shown: the server no longer had them ready.')
      state.isRunning = isStreaming
      state.pending.clear()
      for (const request of approvals) state.addRequest(request)
    },
  })
  feed.ended.catch((cause: unknown) => {
    state.isRunning = false
    notice(cause instanceof Error ? cause.message : 'The stream of the server has ended.')
  })
  return feed
}

interface MessageParts {
  state: ServerState
  own: OwnMessages
  choices: Pick<AgentChoices, 'canSteer'>
  feedNow(): ServerFeed | undefined
}

/**
 * What sends messages. Each counts as being on its way until the server has accepted it, and a prompt until
 * its run is in the stream: until then the session looks idle.
 */
const messageCalls = (
  { client, session }: ServerChatOptions,
  { state, own, choices, feedNow }: MessageParts,
): Pick<ChatBackend, 'prompt' | 'steer' | 'followUp'> => {
  const { prompt, steer, followUp } = client.sessions
  const duringRun = choices.canSteer ? steer : followUp

  /** Requests can overtake each other, so each waits for the one before. */
  let last: Promise<unknown> = Promise.resolve()

  const send = (
    text: string,
    attached: ChatAttachments | undefined,
    call: Client['sessions']['prompt'],
  ): Promise<CommandResult> => {
    state.sending += 1
    const result = last.then(async (): Promise<CommandResult> => {
      own.add(text)
      try {
        const { seq } = await call(session.id, { text, ...attached })
        if (call === prompt) await feedNow()?.until(() => state.lastOutcome > seq)
        return { outcome: 'accepted' }
      } catch (cause) {
        own.remove(text)
        return resultOf(cause)
      } finally {
        state.sending -= 1
      }
    })
    last = result.catch(() => {})
    return result
  }

  return {
    async prompt(text, attached) {
      const result = await send(text, attached, prompt)
      // Somebody else has started a run meanwhile.
      return result.outcome === 'busy' ? send(text, attached, duringRun) : result
    },
    steer: (text, attached) => send(text, attached, steer),
    followUp: (text, attached) => send(text, attached, followUp),
  }
}

type SettingCalls = Pick<
  ChatBackend,
  | 'setMode'
  | 'setThinking'
  | 'setModel'
  | 'models'
  | 'compact'
  | 'setSwitch'
  | 'stopTask'
  | 'runShell'
  | 'stopShell'
>

/** What changes how the agent works. */
const settingCalls = ({ sessions }: Client, id: string): SettingCalls => {
  const done = (call: Promise<Accepted>): Promise<CommandResult> =>
    call.then(() => ({ outcome: 'accepted' }), resultOf)
  return {
    setMode: (mode) => done(sessions.mode(id, mode)),
    setThinking: (thinkingLevel) => done(sessions.model(id, { thinkingLevel })),
    setModel: (model) => done(sessions.model(id, { model })),
    async models() {
      const found = await sessions.models(id).catch(() => undefined)
      return found?.models ?? []
    },
    compact: (instructions) =>
      done(sessions.compact(id, instructions === undefined ? {} : { instructions })),
    setSwitch: (name, isOn) => done(sessions.switches(id, { [name]: isOn })),
    stopTask: (taskId) => done(sessions.stopTask(id, taskId)),
    runShell: (command) => done(sessions.shell(id, command)),
    stopShell: () => done(sessions.stopShell(id)),
  }
}

const resultOf = (cause: unknown): CommandResult => {
  if (!(cause instanceof ApiError)) throw cause
  const { code, detail: error } = cause
  if (code === 'agent_busy') return { outcome: 'busy', error }
  // Its events have the reason, too.
  if (code === 'agent_failed') return { outcome: 'gone', error }
  return { outcome: 'failed', error }
}
