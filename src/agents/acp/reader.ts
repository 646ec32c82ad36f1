import type { AgentEvent } from '../../events/types.ts'
import { type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import { createEventQueue, type Emit, type EventQueue } from '../emit.ts'
import type { RpcError, RpcMessage } from '../json-rpc.ts'
import { createJoinedPrompts, type JoinedPrompts } from './joined-prompts.ts'
import { createMessages, type Messages } from './messages.ts'
import { createPermissions, type Permissions } from './permissions.ts'
import { createRun, type Outcome, type Run } from './run.ts'
import { type AcpSession, createAcpSession } from './session.ts'
import type { AcpTerminals } from './terminals.ts'
import { type CallSource, createTools, type Tools } from './tools.ts'
import { decodeCall, decodeUpdate } from './updates.ts'
import { createUsageReports, type UsageReports } from './usage.ts'
import { acpErrorText, stopReasonOf } from './wire.ts'

/** Turns what an agent writes into events, with or without knowledge of what was written to it. */
export interface AcpReader {
  readonly session: AcpSession
  readonly tools: Tools
  readonly permissions: Permissions
  readonly joined: JoinedPrompts
  readonly emit: Emit
  /** Reads a line about a call, or what Sluice itself does for the agent as one. */
  call(update: Fields, source: CallSource): void
  /** Reads a notification or a request of the agent. */
  read(message: RpcMessage, line: unknown): void
  /** Reads a response without knowledge of its request. */
  readResponse(result: unknown): void
  /** A prompt was written. */
  promptSent(): void
  /** A prompt was answered. The last answer ends the run. */
  promptAnswered(result: Fields): void
  promptFailed(error: RpcError): void
  /** Whether a prompt has no answer yet. */
  isPromptOpen(): boolean
  /** Whether a run is open. */
  isRunning(): boolean
  /** Returns the events since the last call. */
  take(): AgentEvent[]
  /** The stream is over. */
  end(): void
}

export interface AcpReaderOptions {
  agent: string
  /** What people call the agent. Default: its name. */
  title?: string
  scope: string
  /** Whether the reader hears of the prompts that are written. */
  isLive: boolean
  /** The terminals that the agent creates through the connection. */
  terminals?: AcpTerminals
  /** The model that the agent was started with. */
  model?: string | undefined
}

/** The parts that lines change. */
export interface AcpParts {
  agent: string
  emit: Emit
  run: Run
  session: AcpSession
  messages: Messages
  tools: Tools
  usage: UsageReports
  permissions: Permissions
  joined: JoinedPrompts
  /** Whether content belongs to a prompt. What comes later is shown on its own. */
  isExpected(): boolean
  /** The id of a message that belongs to no prompt. */
  lateId(): string
}

export const createAcpReader = (options: AcpReaderOptions): AcpReader => {
  const { isLive } = options
  const { emit, take, hasStarted } = createEventQueue(options.agent)
  let prompts = 0
  /** Whether something came since the last prompt was answered. */
  let hasContent = false
  const parts = createParts(options, { emit, hasStarted }, () => !isLive || prompts > 0)
  const { run, session, usage } = parts

  const answered = (outcome: () => Outcome) => {
    prompts = Math.max(0, prompts - 1)
    if (prompts > 0) return
    run.ensure()
    endRun(parts, outcome())
    hasContent = false
  }

  const promptAnswered = (result: Fields) => {
    if (prompts > 1) usage.prompt(result)
    answered(() => {
      const outcome = outcomeOf(parts, result)
      usage.prompt(result)
      return outcome
    })
  }

  return {
    ...{ session, tools: parts.tools, permissions: parts.permissions, joined: parts.joined },
    ...{ emit, take, promptAnswered },
    call: (update, source) => decodeCall(parts, update, source),
    read(message, line) {
      if (message.kind === 'notification' && message.method === 'session/update') {
        hasContent = true
        return decodeUpdate(parts, fieldsOf(message.params.update), line)
      }
      parts.tools.nextLine(undefined)
      if (message.kind === 'request') readRequest(parts, message)
      else if (message.kind === 'notification') readNotification(parts, message, line)
      else if (message.kind === 'invalid') emit({ type: 'raw', agent: options.agent, line })
    },
    readResponse(value) {
      const result = fieldsOf(value)
      if (result.protocolVersion !== undefined) session.initialized(result)
      else if (result.stopReason !== undefined) {
        // Without a sign of work, it answers a prompt that was joined to another one.
        if (hasContent || run.isOpen()) promptAnswered(result)
      } else if (session.isOpening()) session.opened(result)
      else session.options(result)
    },
    promptSent() {
      prompts += 1
      run.ensure()
    },
    promptFailed(error) {
      // A prompt that failed costs money too.
      usage.prompt({})
      answered(() => ({ stopReason: 'error', errorMessage: acpErrorText(error) }))
    },
    isPromptOpen: () => prompts > 0,
    isRunning: run.isOpen,
    end() {
      usage.prompt({})
      parts.messages.end({ stopReason: 'interrupted' })
      parts.tools.close()
      parts.permissions.close()
      run.close()
    },
  }
}

const createParts = (
  { agent, title = agent, scope, terminals, model }: AcpReaderOptions,
  { emit, hasStarted }: Pick<EventQueue, 'emit' | 'hasStarted'>,
  isExpected: () => boolean,
): AcpParts => {
  const run = createRun(emit)
  const session = createAcpSession({ agent, emit, hasBegun: hasStarted, startModel: model })
  const joined = createJoinedPrompts(emit)
  const messages = createMessages({
    ...{ scope, emit, run },
    onStart: joined.taken,
    model: session.model,
    areToolsRunning: () => tools.isAnyRunning(),
  })
  const tools: Tools = createTools({
    ...{ emit, run, messages, dialect: session.dialect, terminals },
  })
  const permissions = createPermissions({ scope, title, emit, tools })
  const usage = createUsageReports({ emit, session, messages })
  let late = 0
  const lateId = () => {
    late += 1
    return `${scope}late-${late}`
  }
  const content = { messages, tools, usage, permissions, joined }
  return { agent, emit, run, session, ...content, isExpected, lateId }
}

/** Ends the run with all that is open in it. */
const endRun = ({ messages, tools, permissions, joined, run }: AcpParts, outcome: Outcome) => {
  messages.end(outcome)
  tools.close()
  if (outcome.stopReason === 'aborted') joined.clear()
  else joined.taken()
  permissions.clear()
  run.end(outcome)
}

/** How a prompt ended. One agent reports an error as a text, and a good end after it. */
const outcomeOf = ({ session, messages }: AcpParts, result: Fields): Outcome => {
  const stopReason = stopReasonOf(result.stopReason)
  const errorMessage = session.dialect().failureIn?.(messages.lastChunk() ?? '')
  if (stopReason !== 'stop' || errorMessage === undefined) return { stopReason }
  return { stopReason: 'error', errorMessage }
}

const readRequest = (
  { permissions }: AcpParts,
  { id, method, params }: Extract<RpcMessage, { kind: 'request' }>,
) => {
  if (method === 'session/request_permission') permissions.request(id, params)
  else if (method === 'elicitation/create') permissions.elicit(id, params)
}

const readNotification = (
  { agent, emit, permissions, session }: AcpParts,
  { method, params }: Extract<RpcMessage, { kind: 'notification' }>,
  line: unknown,
) => {
  if (method === '$/cancel_request') return permissions.cancel(params.requestId)
  if (method === 'elicitation/complete')
    return void permissions.elicitationCompleted(params.elicitationId)
  if (method === 'qwen/notify/session/mode-update')
    return session.changed('mode', stringOf(params.currentModeId) ?? stringOf(params.modeId))
  // Names with an underscore, and those with the name of the agent, are extensions of the agent.
  if (/^(?:_|qwen\/|\$\/)/.test(method)) return
  emit({ type: 'raw', agent, line })
}
