import type { AgentEvent } from '../../events/types.ts'
import { type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import { createEventQueue, type Emit } from '../emit.ts'
import { providerError } from '../provider-error.ts'
import { createMessages, type Messages } from './messages.ts'
import { createPermissions, type Permissions } from './permissions.ts'
import { createRun, type Outcome, type Run } from './run.ts'
import { type AcpSession, createAcpSession } from './session.ts'
import { createTools, type Tools } from './tools.ts'
import { decodeUpdate } from './updates.ts'
import { createUsageReports, type UsageReports } from './usage.ts'
import { type AcpError, rpcLineOf, stopReasonOf } from './wire.ts'

/** Reads what an agent writes, with or without knowledge of what was written to it. */
export interface AcpReader {
  readonly session: AcpSession
  readonly tools: Tools
  readonly permissions: Permissions
  /** Reads a line. `method`: of the request that the line answers, where that is known. */
  read(line: unknown, method?: string): void
  /** The session that was requested was opened. `resumed`: its id, if it is an earlier one. */
  opened(result: Fields, resumed?: string): void
  /** A prompt was written. */
  promptSent(): void
  /** A prompt was answered, and others may still be open. */
  promptAnswered(result: Fields): void
  promptFailed(error: AcpError): void
  emit: Emit
  take(): AgentEvent[]
  end(): void
}

export interface AcpReaderOptions {
  agent: string
  scope: string
  /** Whether the reader hears of the prompts that are written. */
  isLive: boolean
}

/** The parts that updates change. */
export interface AcpParts {
  agent: string
  emit: Emit
  run: Run
  session: AcpSession
  messages: Messages
  tools: Tools
  usage: UsageReports
  permissions: Permissions
  /** Whether content belongs to a prompt. What comes later is shown on its own. */
  isExpected(): boolean
  /** The id of a message that belongs to no prompt. */
  lateId(): string
}

export const createAcpReader = ({ agent, scope, isLive }: AcpReaderOptions): AcpReader => {
  const { emit, take } = createEventQueue(agent)
  let prompts = 0
  /** Whether something came since the last prompt was answered. */
  let hasContent = false
  const parts = createParts({ agent, scope }, emit, () => !isLive || prompts > 0)
  const { run, session, messages, tools, usage, permissions } = parts

  /** Ends the run with all that is open in it. */
  const endRun = (outcome: Outcome) => {
    messages.end(outcome)
    tools.close()
    permissions.clear()
    run.end(outcome)
    hasContent = false
  }

  const promptAnswered = (result: Fields) => {
    prompts = Math.max(0, prompts - 1)
    // Without a sign of work, it is the answer to a prompt that was joined to the one before.
    if (!run.isOpen() && !isLive && result.stopReason === 'cancelled') return
    if (prompts > 0) return usage.prompt(result)
    run.ensure()
    const failure = session.dialect().failureIn?.(messages.lastChunk() ?? '')
    usage.prompt(result)
    const stopReason = stopReasonOf(result.stopReason)
    endRun(
      failure === undefined || stopReason !== 'stop'
        ? { stopReason }
        : { stopReason: 'error', errorMessage: failure },
    )
  }

  const promptFailed = (error: AcpError) => {
    prompts = Math.max(0, prompts - 1)
    if (prompts > 0) return
    run.ensure()
    endRun({ stopReason: 'error', errorMessage: providerError(error.message).errorMessage })
  }

  const opened = (result: Fields, resumed?: string) => session.opened(result, resumed)

  const readResult = (value: unknown, method: string | undefined) => {
    const result = fieldsOf(value)
    if (method === 'initialize' || result.protocolVersion !== undefined)
      return session.initialized(result)
    if (typeof result.stopReason === 'string') {
      if (hasContent || run.isOpen() || result.stopReason !== 'cancelled') promptAnswered(result)
      return
    }
    if (result.configOptions !== undefined && !session.isOpening()) return session.options(result)
    if (session.isOpening()) opened(result)
  }

  const readError = (error: AcpError) => {
    if (run.isOpen()) return promptFailed(error)
    const { errorMessage } = providerError(error.message)
    emit({ type: 'error', code: 'command_failed', message: errorMessage, fatal: false })
  }

  return {
    ...{ session, tools, permissions, emit, take, opened, promptAnswered, promptFailed },
    read(line, method) {
      const message = rpcLineOf(line)
      if (!message) return emit({ type: 'raw', agent, line })
      if (message.kind === 'notification' && message.method === 'session/update') {
        hasContent = true
        return decodeUpdate(parts, fieldsOf(message.params.update), line)
      }
      tools.nextLine(undefined)
      if (message.kind === 'request') return readRequest(parts, message)
      if (message.kind === 'notification') return readNotification(parts, message, line)
      if (message.kind === 'result') return readResult(message.result, method)
      readError(message.error)
    },
    promptSent() {
      prompts += 1
      run.ensure()
    },
    end() {
      messages.end({ stopReason: 'interrupted' })
      tools.close()
      permissions.close()
      run.close()
    },
  }
}

const createParts = (
  { agent, scope }: Pick<AcpReaderOptions, 'agent' | 'scope'>,
  emit: Emit,
  isExpected: () => boolean,
): AcpParts => {
  const run = createRun(emit)
  const session = createAcpSession(agent, emit)
  const messages = createMessages({
    ...{ scope, emit, run },
    model: session.model,
    areToolsRunning: () => tools.isAnyRunning(),
  })
  const tools: Tools = createTools({ emit, run, messages, dialect: session.dialect })
  const permissions = createPermissions(scope, emit, tools)
  const usage = createUsageReports({ emit, session, messages })
  let late = 0
  const lateId = () => {
    late += 1
    return `${scope}late-${late}`
  }
  return { agent, emit, run, session, messages, tools, usage, permissions, isExpected, lateId }
}

const readRequest = (
  { permissions }: AcpParts,
  { id, method, params }: { id: string | number; method: string; params: Fields },
) => {
  if (method === 'session/request_permission') permissions.request(id, params)
}

const readNotification = (
  { agent, emit, permissions, session }: AcpParts,
  { method, params }: { method: string; params: Fields },
  line: unknown,
) => {
  if (method === '$/cancel_request') return permissions.cancel(params.requestId)
  if (method === 'qwen/notify/session/mode-update')
    return session.changed('mode', stringOf(params.currentModeId) ?? stringOf(params.modeId))
  // Names with an underscore, and those with the name of the agent, are extensions of the agent.
  if (/^(?:_|qwen\/|\$\/)/.test(method)) return
  emit({ type: 'raw', agent, line })
}
