import { chosenOption } from '../../events/chosen-option.ts'
import { defined, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import type { Decoder } from '../agent.ts'
import { cancelledElicitation, type ElicitationResponse } from '../elicitation.ts'
import { withForkPoints } from '../fork-points.ts'
import { createRpcPeer, type RpcOutcome, type RpcPeer, rpcErrors } from '../json-rpc.ts'
import type { Command, Connection, ConnectOptions, Live, SendKind } from '../live.ts'
import { elicitationMethod, type OpenRequest } from './app-approvals.ts'
import { type AppReader, createAppReader } from './app-server.ts'
import { modeSettings } from './modes.ts'
import { inputOf, sandboxPolicyOf, startModeOf, threadParams } from './thread-params.ts'

/** Codex behind its app-server: one thread per process. */
export const codexLive: Live = {
  queue: 'session',
  args: ({ extra = [] }) => ['app-server', ...extra],
  connect: (options) => connectCodex(options),
  isUnknownSession: (stderr) => /no rollout found|thread not found/i.test(stderr),
  forkPoints: 'reported',
}

interface Parts {
  options: ConnectOptions
  peer: RpcPeer
  reader: AppReader
  /** The thread, once it has started. */
  threadId: string | undefined
  /** Why no thread could be started. */
  failure: string | undefined
  /** Commands that wait for the thread. */
  waiting: (() => void)[]
  /** Settings that the next turn starts with. */
  next: { [name: string]: unknown }
}

const connectCodex = (options: ConnectOptions): Connection => {
  const peer = createRpcPeer({ write: options.write, hasVersion: false })
  const reader = createAppReader({ ...options, isLive: true })
  const parts: Parts = {
    ...{ options, peer, reader },
    threadId: undefined,
    failure: undefined,
    waiting: [],
    next: {},
  }
  const decoder: Decoder = {
    push(line) {
      receive(parts, line)
      return reader.take()
    },
    end() {
      reader.end()
      return reader.take()
    },
  }
  return {
    decoder: withForkPoints(decoder, (line) => turnEnded(parts, line)),
    open: () => open(parts),
    send: (command) => send(parts, command),
    models: {
      request: (id) => query(parts, id, 'model/list', { limit: 100 }),
      namesIn: (response) =>
        listOf(fieldsOf(response).data).flatMap((each) => stringOf(fieldsOf(each).model) ?? []),
    },
  }
}

/** The turn that a line ends, if it is one of the thread. */
const turnEnded = ({ threadId }: Parts, line: unknown): string | undefined => {
  const { method, params } = fieldsOf(line)
  const { threadId: of, turn } = fieldsOf(params)
  const isOwn = method === 'turn/completed' && stringOf(of) === threadId
  return isOwn ? stringOf(fieldsOf(turn).id) : undefined
}

const receive = ({ peer, reader }: Parts, line: unknown) => {
  const message = peer.receive(line)
  // The one who sent the request has the response already.
  if (message.kind === 'response') return
  if (message.kind === 'invalid') return reader.raw(line)
  if (message.kind === 'notification')
    return reader.notification(message.method, message.params, line)
  if (reader.request(message.id, message.method, message.params)) return
  if (message.method === elicitationMethod) {
    const text = 'An MCP server asked for input that cannot be shown, so it got no answer.'
    reader.parts.emit({ type: 'session_update', notice: { level: 'warning', text } })
    return peer.respond(message.id, elicitationResult(cancelledElicitation))
  }
  peer.refuse(message.id, {
    code: rpcErrors.methodNotFound,
    message: `Sluice does not answer ${message.method}.`,
  })
}

const open = (parts: Parts) => {
  const { peer, options, reader } = parts
  const clientInfo = { name: 'sluice', title: 'Sluice', version: '1' }
  const capabilities = { experimentalApi: false, requestAttestation: false }
  peer.request('initialize', { clientInfo, capabilities }, (outcome) => {
    if ('error' in outcome) return failed(parts, outcome.error.message)
    reader.response(outcome)
    peer.notify('initialized')
    const { method, params } = threadParams(options)
    peer.request(method, params, (started) => threadStarted(parts, started))
  })
}

const threadStarted = (parts: Parts, outcome: RpcOutcome) => {
  const { reader, options } = parts
  if ('error' in outcome) {
    // A fork without the conversation would be something else than what the person asked for.
    const isStartedOver = options.resume !== undefined && !options.fork
    if (!isStartedOver || !isUnknown(outcome.error.message))
      return failed(parts, outcome.error.message)
    return startOver(parts)
  }
  const mode = startModeOf(options)
  const settings = mode && {
    approvalPolicy: mode.approvalPolicy,
    sandboxPolicy: sandboxPolicyOf(mode.sandbox),
  }
  Object.assign(parts.next, settings)
  reader.response({
    result: { ...fieldsOf(outcome.result), ...settings, ...(settings && { sandbox: undefined }) },
  })
  parts.threadId = stringOf(fieldsOf(fieldsOf(outcome.result).thread).id)
  const effort = options.start?.thinkingLevel
  if (effort !== undefined) parts.next.effort = effort
  for (const send of parts.waiting.splice(0)) send()
}

const isUnknown = (message: string): boolean => /no rollout found|not found/i.test(message)

/** Codex does not have the conversation: another process may have died before it was stored. */
const startOver = (parts: Parts) => {
  const { resume: _, ...options } = parts.options
  parts.options = options
  const text = 'Codex does not have the earlier conversation, so it starts a new one.'
  parts.reader.parts.emit({ type: 'session_update', notice: { level: 'warning', text } })
  const { method, params } = threadParams(options)
  parts.peer.request(method, params, (started) => threadStarted(parts, started))
}

/** Without a thread, nothing can be sent: everything that waits is refused. */
const failed = (parts: Parts, message: string) => {
  parts.failure = message
  const { emit } = parts.reader.parts
  emit({ type: 'error', code: 'command_failed', message, fatal: false })
  for (const send of parts.waiting.splice(0)) send()
}

/** Sends a request when the thread has started, and passes the response on as a reply. */
const query = (parts: Parts, id: string, method: string, params: object): SendKind =>
  whenReady(parts, id, (threadId) =>
    parts.peer.request(method, { threadId, ...params }, (outcome) => reply(parts, id, outcome)),
  )

const whenReady = (parts: Parts, id: string, act: (threadId: string) => void): SendKind => {
  const run = () => {
    const { threadId, failure = 'Codex has not started a thread.' } = parts
    if (threadId === undefined) parts.options.onReply?.({ id, ok: false, error: failure })
    else act(threadId)
  }
  if (parts.threadId !== undefined || parts.failure !== undefined) run()
  else parts.waiting.push(run)
  return 'replies'
}

const reply = ({ options }: Parts, id: string, outcome: RpcOutcome) => {
  if ('result' in outcome) options.onReply?.({ id, ok: true, data: outcome.result })
  else options.onReply?.({ id, ok: false, error: outcome.error.message })
}

const send = (parts: Parts, command: Command): SendKind => {
  const { id } = command
  switch (command.type) {
    case 'prompt':
    case 'followUp':
      return startTurn(parts, command)
    case 'steer':
      return steer(parts, command)
    case 'abort':
      return abort(parts, id)
    case 'answer':
      return answer(parts, command)
    case 'compact':
      return query(parts, id, 'thread/compact/start', {})
    case 'setName':
      return query(parts, id, 'thread/name/set', { name: command.name })
    case 'setModel':
      return setNext(parts, id, { model: command.model })
    case 'setThinking':
      return setNext(parts, id, { effort: command.level })
    case 'setMode':
      return setMode(parts, id, command.mode)
    default:
      return 'unsupported'
  }
}

type Prompt = Extract<Command, { type: 'prompt' | 'steer' | 'followUp' }>

const startTurn = (parts: Parts, prompt: Prompt): SendKind =>
  whenReady(parts, prompt.id, (threadId) => {
    const { id } = prompt
    const settings = parts.next
    parts.next = {}
    const params = { threadId, clientUserMessageId: id, input: inputOf(prompt), ...settings }
    parts.peer.request('turn/start', params, (outcome) => {
      if ('result' in outcome) {
        const { turn } = fieldsOf(outcome.result)
        parts.reader.parts.turnId = stringOf(fieldsOf(turn).id)
      }
      reply(parts, id, outcome)
    })
  })

/** A message into the turn that is open. If it has just ended, the message starts another one. */
const steer = (parts: Parts, prompt: Prompt): SendKind => {
  const { turnId } = parts.reader.parts
  if (turnId === undefined) return startTurn(parts, prompt)
  const { id } = prompt
  const input = { clientUserMessageId: id, input: inputOf(prompt), expectedTurnId: turnId }
  return whenReady(parts, id, (threadId) => {
    parts.peer.request('turn/steer', { threadId, ...input }, (outcome) => {
      if ('error' in outcome && parts.reader.parts.turnId !== turnId) startTurn(parts, prompt)
      else reply(parts, id, outcome)
    })
  })
}

const abort = (parts: Parts, id: string): SendKind => {
  const { turnId } = parts.reader.parts
  if (turnId === undefined) {
    parts.options.onReply?.({ id, ok: true })
    return 'replies'
  }
  return query(parts, id, 'turn/interrupt', { turnId })
}

/** Codex changes settings with the next turn. */
const setNext = (parts: Parts, id: string, settings: object): SendKind => {
  Object.assign(parts.next, settings)
  parts.reader.parts.session.settings({ ...settings })
  parts.options.onReply?.({ id, ok: true })
  parts.options.emit(parts.reader.take())
  return 'replies'
}

const setMode = (parts: Parts, id: string, mode: string): SendKind => {
  const settings = modeSettings(mode)
  if (settings) {
    const { approvalPolicy, sandbox } = settings
    return setNext(parts, id, { approvalPolicy, sandboxPolicy: sandboxPolicyOf(sandbox) })
  }
  parts.options.onReply?.({ id, ok: false, error: `Codex has no mode “${mode}”.` })
  return 'replies'
}

type Answer = Extract<Command, { type: 'answer' }>

const answer = ({ peer, reader }: Parts, { request, answer: given }: Answer): SendKind => {
  const open = reader.parts.approvals.take(request.approvalId)
  if (open) peer.respond(open.rpcId, resultOf(open, request, given))
  return 'written'
}

const resultOf = (open: OpenRequest, request: Answer['request'], given: Answer['answer']) => {
  const chosen = chosenOption(request.options ?? [], given)
  if (open.elicitation) return elicitationResult(open.elicitation.responseTo(given))
  if (open.method === 'item/tool/requestUserInput') return { answers: answersOf(open, given) }
  if (open.method === 'item/permissions/requestApproval') {
    const isAllowed = given.action === 'allow'
    const scope = chosen?.id === 'session' ? 'session' : 'turn'
    return { permissions: isAllowed ? fieldsOf(open.params.permissions) : {}, scope }
  }
  // Codex would run the command with the arguments that were replaced.
  if (given.updatedInput !== undefined) return { decision: 'decline' }
  const fallback = given.action === 'allow' ? 'accept' : 'decline'
  return { decision: (chosen && open.decisions.get(chosen.id)) ?? fallback }
}

/** Codex expects all fields of a response. */
const elicitationResult = ({ action, content }: ElicitationResponse) => ({
  ...{ action, content: content ?? null },
  _meta: null,
})

/** Codex names answers by the ids of its questions. */
const answersOf = ({ params }: OpenRequest, { answers = {} }: Answer['answer']) =>
  Object.fromEntries(
    listOf(params.questions)
      .map(fieldsOf)
      .map(({ id, question }) => [
        String(id),
        defined({ answers: answers[stringOf(question) ?? ''] ?? [] }),
      ]),
  )
