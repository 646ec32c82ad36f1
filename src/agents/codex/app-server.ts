import type { AgentEvent } from '../../events/types.ts'
import { type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createEventQueue } from '../emit.ts'
import type { RpcId, RpcOutcome } from '../json-rpc.ts'
import { createRpcPeer } from '../json-rpc.ts'
import { type AppApprovals, createAppApprovals } from './app-approvals.ts'
import { decodeNotification } from './app-notifications.ts'
import { type AppSession, createAppSession } from './app-session.ts'
import { createAppSubagents, type ItemParts } from './app-subagents.ts'
import { createErrorTracker } from './errors.ts'
import { createMessages } from './messages.ts'
import { createRetryTracker } from './retry.ts'
import { createRun, type Run } from './run.ts'
import { createTools } from './tools.ts'

/** The parts of a reader of the app-server: each follows one thing through the stream. */
export interface AppParts extends ItemParts {
  readonly run: Run
  readonly session: AppSession
  readonly approvals: AppApprovals
  /** The turn that is open, in Codex’s own term. */
  turnId: string | undefined
}

/** Reads what `codex app-server` prints. */
export interface AppReader {
  readonly parts: AppParts
  notification(method: string, params: Fields, line: unknown): void
  /** A request of the agent. False if Sluice cannot answer it. */
  request(id: RpcId, method: string, params: Fields): boolean
  response(outcome: RpcOutcome): void
  raw(line: unknown): void
  /** Stdout has closed: closes everything that is open. */
  end(): void
  take(): AgentEvent[]
}

export const createAppReader = (options: DecoderOptions & { isLive: boolean }): AppReader => {
  const { emit, take, hasStarted } = createEventQueue('codex')
  const { scope = '', isLive } = options
  const run = createRun(emit)
  const session = createAppSession(emit, hasStarted)
  const { model, cwd } = session
  const messages = createMessages({ scope, emit, run, model })
  const tools = createTools({ emit, messages, cwd })
  const subagents = createAppSubagents({ scope, cwd, model })
  const approvals = createAppApprovals({ scope, emit, tools, subagents, cwd, isLive })
  const parts: AppParts = {
    ...{ emit, run, messages, tools, session, approvals, subagents },
    retry: createRetryTracker(emit),
    errors: createErrorTracker(emit),
    turnId: undefined,
  }
  const raw = (line: unknown) => emit({ type: 'raw', agent: 'codex', line })

  return {
    parts,
    take,
    raw,
    notification(method, params, line) {
      if (!decodeNotification(parts, method, params)) raw(line)
    },
    request(id, method, params) {
      const { messages: own } = subagents.find(stringOf(params.threadId))?.parts ?? parts
      own.settle()
      return approvals.request(id, method, params)
    },
    response(outcome) {
      if ('result' in outcome) return session.response(fieldsOf(outcome.result))
      const { message } = outcome.error
      emit({ type: 'error', code: 'command_failed', message, fatal: false })
    },
    end() {
      const { retry, errors } = parts
      const error = errors.pending()
      approvals.close()
      subagents.close()
      messages.close({ failure: { reason: 'interrupted' } })
      tools.close()
      retry.end(error ?? 'The agent ended.')
      run.close(error)
    },
  }
}

/** Reads a recording of `codex app-server`: what was written to it is not there. */
export const createAppServerDecoder = (options: DecoderOptions = {}): Decoder => {
  const reader = createAppReader({ ...options, isLive: false })
  const peer = createRpcPeer({ write() {}, hasVersion: false })
  return {
    push(line) {
      const message = peer.receive(line)
      if (message.kind === 'invalid') reader.raw(line)
      else if (message.kind === 'notification')
        reader.notification(message.method, message.params, line)
      else if (message.kind === 'response') reader.response(message.outcome)
      else if (!reader.request(message.id, message.method, message.params)) reader.raw(line)
      return reader.take()
    },
    end() {
      reader.end()
      return reader.take()
    },
  }
}

/** Whether a line is one of `codex app-server`. */
export const isAppServerLine = (line: unknown): boolean =>
  isFields(line) &&
  line.type === undefined &&
  // Lines of ACP name their version of JSON-RPC.
  line.jsonrpc === undefined &&
  (stringOf(line.method) ?? line.id) !== undefined
