import type { TokenCounts } from '../../events/types.ts'
import { type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createEventQueue, type Emit } from '../emit.ts'
import { createErrorTracker, type ErrorTracker } from './errors.ts'
import { createMessages, type Messages } from './messages.ts'
import { createRetryTracker, type RetryTracker, reconnectionIn } from './retry.ts'
import { createRun, type Run } from './run.ts'
import { createTools, type Tools } from './tools.ts'
import { itemTypeOf, tokensOf } from './wire.ts'

/** The parts of a decoder: each follows one thing through the stream. */
interface ExecParts {
  readonly emit: Emit
  hasStarted(): boolean
  readonly run: Run
  readonly messages: Messages
  readonly tools: Tools
  readonly retry: RetryTracker
  readonly errors: ErrorTracker
  /** The model that the agent was started with. The stream does not name it. */
  readonly model: string
}

/** Reads `codex exec --json`: whole items, one run per process. */
export const createExecDecoder = (options: DecoderOptions = {}): Decoder => {
  const { emit, take, hasStarted } = createEventQueue('codex')
  const run = createRun(emit)
  const scope = options.scope ?? ''
  const messages = createMessages({ scope, emit, run, model: () => options.model })
  const parts: ExecParts = {
    emit,
    hasStarted,
    run,
    messages,
    tools: createTools({ emit, messages, cwd: () => undefined }),
    retry: createRetryTracker(emit),
    errors: createErrorTracker(emit),
    model: options.model ?? 'unknown',
  }
  return {
    push(line) {
      if (isFields(line)) decodeLine(parts, line)
      else emit({ type: 'raw', agent: 'codex', line })
      return take()
    },
    end() {
      const { tools, retry, errors } = parts
      const error = errors.pending()
      messages.close({ failure: { reason: 'interrupted' } })
      tools.close()
      retry.end(error ?? 'The agent ended.')
      run.close(error)
      return take()
    },
  }
}

/** Whether a line is one of `codex exec --json`. */
export const isExecLine = (line: unknown): boolean =>
  /^(?:thread|turn|item)\.|^error$/.test(stringOf(fieldsOf(line).type) ?? '')

const decodeLine = (parts: ExecParts, line: Fields) => {
  const { emit, run } = parts
  switch (line.type) {
    case 'thread.started':
      return threadStarted(parts, line)
    case 'turn.started':
      return run.ensure()
    case 'turn.completed':
      return turnCompleted(parts, line)
    case 'turn.failed':
      return turnFailed(parts, line)
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return item(parts, line)
    case 'error':
      return failed(parts, stringOf(line.message) ?? '')
    default:
      return emit({ type: 'raw', agent: 'codex', line })
  }
}

const threadStarted = ({ emit, hasStarted }: ExecParts, { thread_id: id }: Fields) => {
  const nativeId = stringOf(id)
  const details = nativeId === undefined ? {} : { nativeId }
  if (hasStarted()) emit({ type: 'session_update', ...details })
  else emit({ type: 'session_start', agent: 'codex', ...details })
}

const item = (parts: ExecParts, line: Fields) => {
  const { emit, messages, tools, retry, errors } = parts
  const about = fieldsOf(line.item)
  const isCompleted = line.type === 'item.completed'
  const type = itemTypeOf(about)
  if (type === 'error') return warn(parts, about)
  errors.wentOn()
  retry.end()
  if (type === 'agent_message' || type === 'reasoning') {
    const kind = type === 'reasoning' ? 'thinking' : 'text'
    return isCompleted ? messages.complete(about, kind) : undefined
  }
  if (type === 'unknown') return emit({ type: 'raw', agent: 'codex', line })
  if (isCompleted) tools.end(about)
  else if (line.type === 'item.started') tools.start(about)
}

/** An item of this type is no failure: the run goes on. */
const warn = ({ emit }: ExecParts, { message }: Fields) =>
  emit({ type: 'session_update', notice: { level: 'warning', text: stringOf(message) ?? '' } })

const failed = ({ run, messages, retry, errors }: ExecParts, message: string) => {
  const reconnection = reconnectionIn(message)
  if (!reconnection) return errors.add(message)
  run.ensure()
  errors.wentOn()
  messages.withdraw()
  retry.start(reconnection)
}

const turnCompleted = (parts: ExecParts, line: Fields) => {
  const { run, retry, errors } = parts
  run.ensure()
  errors.wentOn()
  retry.end()
  closeTurn(parts)
  const usage = tokensOf(line.usage)
  report(parts, usage)
  run.end({ stopReason: 'stop' })
}

const turnFailed = (parts: ExecParts, line: Fields) => {
  const { run, retry, errors } = parts
  run.ensure()
  const message = stringOf(fieldsOf(line.error).message)
  const errorMessage = errors.failed(message)
  retry.end(message ?? errorMessage)
  closeTurn(parts)
  run.end({ stopReason: 'error', errorMessage })
}

const closeTurn = ({ messages, tools }: ExecParts) => {
  messages.settle()
  tools.close()
}

/** The counters are those of the thread: they go on when another process resumes it. */
const report = ({ emit, model }: ExecParts, usage: TokenCounts) => {
  if (Object.keys(usage).length === 0) return
  emit({
    type: 'session_update',
    reported: { byModel: { [model]: usage }, counts: 'conversation' },
  })
}
