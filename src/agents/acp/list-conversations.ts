import { type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import { shortened } from '../../shared/shortened.ts'
import type {
  ConversationListing,
  ListingOptions,
  ListingResult,
  StoredConversation,
} from '../conversations.ts'
import { createRpcPeer, type RpcError, type RpcPeer, rpcErrors } from '../json-rpc.ts'
import { canList, waysToResume } from './announced.ts'
import type { AcpAgent } from './connection.ts'
import { explainError, initializeParams, versionProblem } from './initialize.ts'

/** How much is read of one agent. An agent may return a cursor for ever. */
const limits = { pages: 50, conversations: 1000, id: 500, title: 200, cursor: 10_000 }

interface State extends AcpAgent {
  options: ListingOptions
  peer: RpcPeer
  initialized: Fields
  /** By their ids: an agent may repeat one. */
  found: Map<string, StoredConversation>
  cursors: Set<string>
  pages: number
  isOver: boolean
}

/** Lists conversations by `initialize` and `session/list`, page by page. No session is opened. */
export const listAcpConversations = (
  about: AcpAgent,
  options: ListingOptions,
): ConversationListing => {
  const peer = createRpcPeer({ write: options.write, hasVersion: true })
  const state: State = {
    ...{ ...about, options, peer, initialized: {}, found: new Map(), cursors: new Set() },
    pages: 0,
    isOver: false,
  }
  return {
    open: () => initialize(state),
    push(line) {
      if (state.isOver) return
      const message = peer.receive(line)
      if (message.kind === 'request')
        peer.refuse(message.id, {
          code: rpcErrors.methodNotFound,
          message: `Method not found: ${message.method}`,
        })
    },
    stop: (reason) => giveUp(state, reason),
  }
}

const initialize = (state: State) =>
  state.peer.request('initialize', initializeParams({}), (outcome) => {
    if ('error' in outcome) return fail(state, outcome.error)
    state.initialized = fieldsOf(outcome.result)
    const problem = versionProblem(state.title, state.initialized)
    if (problem !== undefined) return giveUp(state, problem)
    if (canList(state.initialized)) return requestPage(state)
    end(state, {
      outcome: 'unsupported',
      reason: `${state.title} does not list its conversations.`,
    })
  })

const requestPage = (state: State, cursor?: string) => {
  const { peer, options } = state
  const params = { cwd: options.cwd, ...(cursor !== undefined && { cursor }) }
  peer.request('session/list', params, (outcome) => {
    if (state.isOver) return
    if ('error' in outcome) return fail(state, outcome.error)
    state.pages += 1
    const { sessions, nextCursor } = fieldsOf(outcome.result)
    for (const each of listOf(sessions)) note(state, fieldsOf(each))
    next(state, stringOf(nextCursor))
  })
}

const next = (state: State, cursor = '') => {
  const { found, cursors, pages, options } = state
  const isFound = options.wanted !== undefined && found.has(options.wanted)
  if (cursor === '' || isFound) return finish(state, cursor !== '')
  const isEndless = cursors.has(cursor) || cursor.length > limits.cursor
  if (isEndless || pages >= limits.pages || found.size >= limits.conversations)
    return finish(state, true)
  cursors.add(cursor)
  requestPage(state, cursor)
}

/** Notes a conversation of the directory. Some agents also list those of others. */
const note = ({ found, options }: State, { sessionId, cwd, title, updatedAt }: Fields) => {
  const id = stringOf(sessionId) ?? ''
  if (id === '' || id.length > limits.id || hidden.test(id)) return
  const directory = stringOf(cwd)?.replace(/(?<=.)\/+$/, '')
  if (directory !== undefined && directory !== options.cwd && directory !== options.realCwd) return
  if (found.has(id) || found.size >= limits.conversations) return
  const shown = titleIn(title)
  const changed = Date.parse(stringOf(updatedAt) ?? '')
  found.set(id, {
    id,
    ...(shown !== '' && { title: shown }),
    ...(changed >= 0 && { updatedAt: changed }),
  })
}

/** Characters that control a terminal, break a line, or hide or reorder text. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

const titleIn = (title: unknown): string => {
  const start = (stringOf(title) ?? '').slice(0, 4 * limits.title)
  const line = start.replace(/(?![\u200c\u200d])\p{Cf}|\p{Cs}/gu, '').replace(/[\s\p{Cc}]+/gu, ' ')
  return shortened(line.trim(), limits.title)
}

const fail = (state: State, error: RpcError) => giveUp(state, explainError(state, error))

/** What has been listed is shown, also if the agent fails at a later page. */
const giveUp = (state: State, reason: string) => {
  if (state.pages > 0) finish(state, true)
  else end(state, { outcome: 'failed', reason })
}

const finish = (state: State, hasMore: boolean) =>
  end(state, {
    outcome: 'listed',
    conversations: [...state.found.values()].sort(
      (left, right) => (right.updatedAt ?? 0) - (left.updatedAt ?? 0),
    ),
    hasMore,
    canContinue: waysToResume(state.initialized).length > 0,
  })

const end = (state: State, result: ListingResult) => {
  if (state.isOver) return
  state.isOver = true
  state.options.onResult(result)
}
