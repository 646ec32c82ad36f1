import type { Capabilities } from '../../events/types.ts'
import { type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { RpcError, RpcOutcome, RpcPeer } from '../json-rpc.ts'
import type { ConnectOptions, SendKind } from '../live.ts'
import { canList, waysToFork, waysToResume } from './announced.ts'
import { explainError, initializeParams, isLoginNeeded, versionProblem } from './initialize.ts'
import { missingDirectories, openingParams, transportProblem } from './opening-params.ts'
import type { AcpReader } from './reader.ts'
import { choicesOf } from './session.ts'
import type { Settings } from './settings.ts'
import { type AcpSettingName, acpErrorText } from './wire.ts'

/** From the first line to a session that accepts prompts. Commands wait until then. */
export interface Handshake {
  open(): void
  /** The agent’s id of the session; undefined before the session is open. */
  sessionId(): string | undefined
  /** Runs a command once the session is open. If it cannot be opened, the command is refused. */
  whenReady(commandId: string, run: () => void): SendKind
  /** Refuses the commands that wait. */
  dropCommands(reason: string): void
  /** An error with advice on how to log in, if that is the reason. */
  explained(error: RpcError): RpcError
}

export interface HandshakeOptions {
  title: string
  /** Whether the agent is not offered to read files through Sluice. */
  readsItself?: true | undefined
  /** How a person logs in, as a sentence. */
  login: string | undefined
  options: ConnectOptions
  peer: RpcPeer
  reader: AcpReader
  settings: Settings
}

interface State extends HandshakeOptions {
  phase: 'initializing' | 'opening' | 'ready' | 'failed'
  sessionId: string | undefined
  initialized: Fields
  /** The conversation to resume is gone, and a new one takes its place. */
  isStartedOver: boolean
  waiting: { id: string; run(): void }[]
}

export const createHandshake = (options: HandshakeOptions): Handshake => {
  const state: State = {
    ...options,
    phase: 'initializing',
    sessionId: undefined,
    initialized: {},
    isStartedOver: false,
    waiting: [],
  }
  return {
    open: () => initialize(state),
    sessionId: () => state.sessionId,
    whenReady(id, run) {
      if (state.phase === 'ready') run()
      else state.waiting.push({ id, run })
      // A person may have logged in since the last attempt.
      if (state.phase === 'failed') initializeAgain(state)
      return 'replies'
    },
    dropCommands: (reason) => refuseAll(state, reason),
    explained: (error) => ({ ...error, message: explainError(state, error) }),
  }
}

const initialize = (state: State) => {
  state.phase = 'initializing'
  const hasFiles = state.options.workspace !== undefined
  const clientCapabilities = {
    fs: { readTextFile: hasFiles && !state.readsItself, writeTextFile: hasFiles },
    terminal: hasFiles,
    elicitation: { form: {}, url: {} },
  }
  state.peer.request('initialize', initializeParams(clientCapabilities), (outcome) => {
    if ('error' in outcome) return fail(state, outcome.error)
    state.initialized = fieldsOf(outcome.result)
    const problem = versionProblem(state.title, state.initialized)
    if (problem !== undefined) return refuseSession(state, problem)
    state.reader.session.initialized(state.initialized)
    openSession(state)
  })
}

const initializeAgain = (state: State) => {
  if (state.initialized.protocolVersion === 1) openSession(state)
  else initialize(state)
}

/** Opens the session: a new one, or the one to resume, by the best way that the agent offers. */
const openSession = (state: State) => {
  const { resume, fork, start } = state.options
  state.phase = 'opening'
  const problem = transportProblem(state.title, start, state.initialized)
  if (problem !== undefined) return refuseSession(state, problem)
  if (resume === undefined) return request(state, 'session/new', {})
  const ways = fork ? waysToFork(state.initialized) : waysToResume(state.initialized)
  if (ways.length === 0 && fork)
    return refuseSession(state, `${state.title} cannot fork a conversation.`)
  tryToResume(state, resume, ways)
}

const tryToResume = (state: State, sessionId: string, ways: readonly string[]) => {
  const [method, ...others] = ways
  if (method === undefined)
    return state.options.mustResume
      ? refuseSession(state, `${state.title} does not have the conversation ${sessionId} any more.`)
      : startOver(state)
  request(state, method, { sessionId }, (error) => {
    if (isLoginNeeded(error)) fail(state, error)
    else if (method === 'session/fork') refuseSession(state, acpErrorText(error))
    else tryToResume(state, sessionId, others)
  })
}

/** The agent does not have the conversation any more. */
const startOver = (state: State) => {
  state.isStartedOver = true
  request(state, 'session/new', {})
}

const request = (
  state: State,
  method: string,
  params: { sessionId?: string },
  onError: (error: RpcError) => void = (error) => fail(state, error),
) => {
  const { agentCapabilities } = state.initialized
  const all = { ...params, ...openingParams(state.options, fieldsOf(agentCapabilities)) }
  state.peer.request(method, all, (outcome: RpcOutcome) => {
    if ('error' in outcome) return onError(outcome.error)
    const result = fieldsOf(outcome.result)
    state.sessionId = stringOf(result.sessionId) ?? params.sessionId
    if (state.sessionId === undefined)
      return refuseSession(state, `${state.title} opened a session without an id.`)
    state.reader.session.opened(result, state.sessionId)
    if (state.isStartedOver) state.reader.emit(startedOver(state.title))
    state.reader.emit({ type: 'session_update', capabilities: capabilitiesOf(state) })
    const missing = missingDirectories(state.title, state.options.start, state.initialized)
    if (missing) state.reader.emit(missing)
    applySettings(state, settingsToApply(state.options))
  })
}

const startedOver = (title: string) =>
  ({
    type: 'session_update',
    reset: true,
    notice: {
      level: 'warning',
      text: `${title} no longer has this conversation, so it starts a new one.`,
    },
  }) as const

const settingsToApply = ({ model, start = {} }: ConnectOptions) =>
  [
    ['model', model],
    ['mode', start.mode],
    ['thinking', start.thinkingLevel],
  ] as const

/** Applies what was chosen for the session, one after the other. Only then are prompts written. */
const applySettings = (
  state: State,
  [next, ...others]: readonly (readonly [AcpSettingName, string | undefined])[],
) => {
  if (!next) return ready(state)
  const [name, value] = next
  if (value === undefined) return applySettings(state, others)
  state.settings.change(name, value, (error) => {
    // A run in another mode than the chosen one could do what a person wanted to prevent.
    if (error !== undefined && name === 'mode') return refuseSession(state, error)
    if (error !== undefined && name !== 'model')
      state.reader.emit({ type: 'session_update', notice: { level: 'warning', text: error } })
    applySettings(state, others)
  })
}

const ready = (state: State) => {
  state.phase = 'ready'
  for (const { run } of state.waiting.splice(0)) run()
}

const fail = (state: State, error: RpcError) => refuseSession(state, explainError(state, error))

const refuseSession = (state: State, reason: string) => {
  state.phase = 'failed'
  refuseAll(state, reason)
}

const refuseAll = ({ waiting, options }: State, error: string) => {
  for (const { id } of waiting.splice(0)) options.onReply?.({ id, ok: false, error })
}

/** What this agent can do, as it announced it. */
const capabilitiesOf = ({ reader, initialized }: State): Partial<Capabilities> => {
  const { session } = reader
  const { promptCapabilities } = session.capabilities()
  return {
    steer: session.dialect().joinsPrompts === true,
    resume: waysToResume(initialized).length > 0,
    fork: waysToFork(initialized).length > 0,
    conversations: canList(initialized) && waysToResume(initialized).length > 0,
    models: session.setting('model') !== undefined,
    modes: choicesOf(session.setting('mode')) ?? [],
    thinking: session.setting('thinking')?.choices.map(({ id }) => id) ?? [],
    images: fieldsOf(promptCapabilities).image === true,
    files: fieldsOf(promptCapabilities).embeddedContext === true ? ['text', 'pdf'] : ['text'],
  }
}
