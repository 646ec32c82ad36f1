import type { Capabilities } from '../../events/types.ts'
import { type Fields, fieldsOf, isFields, listOf, stringOf } from '../../shared/fields.ts'
import type { RpcError, RpcOutcome, RpcPeer } from '../json-rpc.ts'
import type { ConnectOptions, SendKind } from '../live.ts'
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
    explained: (error) => ({ ...error, message: explain(state, error) }),
  }
}

const clientInfo = { name: 'sluice', title: 'Sluice', version: '0.1.0' }

const initialize = (state: State) => {
  state.phase = 'initializing'
  const hasFiles = state.options.workspace !== undefined
  const clientCapabilities = {
    fs: { readTextFile: hasFiles && !state.readsItself, writeTextFile: hasFiles },
    terminal: hasFiles,
    elicitation: { form: {}, url: {} },
  }
  const params = { protocolVersion: 1, clientCapabilities, clientInfo }
  state.peer.request('initialize', params, (outcome) => {
    if ('error' in outcome) return fail(state, outcome.error)
    state.initialized = fieldsOf(outcome.result)
    const { protocolVersion } = state.initialized
    if (protocolVersion !== 1)
      return refuseSession(
        state,
        `${state.title} speaks version ${protocolVersion} of the protocol.`,
      )
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
  const ways = waysToResume(state, fork === true)
  if (ways.length === 0 && fork)
    return refuseSession(state, `${state.title} cannot fork a conversation.`)
  tryToResume(state, resume, ways)
}

const waysToResume = ({ initialized, reader }: State, isFork: boolean): string[] => {
  const { loadSession, sessionCapabilities } = fieldsOf(initialized.agentCapabilities)
  const { resume, fork } = fieldsOf(sessionCapabilities)
  if (isFork) return isFields(fork) ? ['session/fork'] : []
  const canLoad = loadSession === true && !reader.session.dialect().cannotLoad
  return [...(isFields(resume) ? ['session/resume'] : []), ...(canLoad ? ['session/load'] : [])]
}

const tryToResume = (state: State, sessionId: string, ways: readonly string[]) => {
  const [method, ...others] = ways
  if (method === undefined) return startOver(state)
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

const fail = (state: State, error: RpcError) => refuseSession(state, explain(state, error))

const refuseSession = (state: State, reason: string) => {
  state.phase = 'failed'
  refuseAll(state, reason)
}

const refuseAll = ({ waiting, options }: State, error: string) => {
  for (const { id } of waiting.splice(0)) options.onReply?.({ id, ok: false, error })
}

const loginNeeded = -32_000

const isLoginNeeded = ({ code }: RpcError): boolean => code === loginNeeded

const explain = (state: State, error: RpcError): string => {
  const text = acpErrorText(error)
  if (!isLoginNeeded(error)) return text
  const ways = listOf(state.initialized.authMethods).flatMap((method) => {
    const { name, description } = fieldsOf(method)
    return [stringOf(description) ?? stringOf(name) ?? []].flat()
  })
  const advice = ways.length > 0 ? ` It offers: ${ways.join('; ')}.` : ''
  const { title, login = 'Log in with the program itself.' } = state
  return `${title} needs a login (${text}). ${login} Then try again.${advice}`
}

/** What this agent can do, as it announced it. */
const capabilitiesOf = ({ reader }: State): Partial<Capabilities> => {
  const { session } = reader
  const { promptCapabilities, sessionCapabilities, loadSession } = session.capabilities()
  const { resume, fork } = fieldsOf(sessionCapabilities)
  return {
    steer: session.dialect().joinsPrompts === true,
    resume: (loadSession === true && !session.dialect().cannotLoad) || isFields(resume),
    fork: isFields(fork),
    models: session.setting('model') !== undefined,
    modes: choicesOf(session.setting('mode')) ?? [],
    thinking: session.setting('thinking')?.choices.map(({ id }) => id) ?? [],
    images: fieldsOf(promptCapabilities).image === true,
    files: fieldsOf(promptCapabilities).embeddedContext === true ? ['text', 'pdf'] : ['text'],
  }
}
