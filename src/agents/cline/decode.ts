import { type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createEventQueue, type Emit } from '../emit.ts'
import type { MessageFailure } from '../open-message.ts'
import { createPlainCalls, type PlainCalls } from '../plain-calls.ts'
import { createPlainRun, type PlainRun } from '../plain-run.ts'
import { errorText, outcomeOfRun, repeatsToolFailure } from './run.ts'
import { clineDetails, createThreads, type Threads, textOfContent } from './threads.ts'
import { outcomeOf } from './wire.ts'

/** The parts of a decoder: each follows one thing through the stream. */
interface ClineParts {
  readonly emit: Emit
  hasStarted(): boolean
  readonly run: PlainRun
  readonly calls: PlainCalls
  readonly threads: Threads
}

/** Reads `cline --json`. */
export const createClineDecoder = (options: DecoderOptions = {}): Decoder => {
  const { emit, take, hasStarted } = createEventQueue('cline')
  const calls = createPlainCalls(emit)
  const threads = createThreads(options.scope ?? '', emit, calls)
  const parts: ClineParts = { emit, hasStarted, run: createPlainRun(emit), calls, threads }

  return {
    push(line) {
      if (isFields(line)) decodeLine(parts, line)
      else emit({ type: 'raw', agent: 'cline', line })
      return take()
    },
    end() {
      closeOpen(parts, { reason: 'interrupted' })
      parts.run.close()
      return take()
    },
  }
}

const closeOpen = ({ threads, calls }: ClineParts, failure: MessageFailure) => {
  threads.close(failure)
  calls.interrupt()
}

const decodeLine = (parts: ClineParts, line: Fields) => {
  switch (line.type) {
    case 'agent_event':
      return decodeEvent(parts, line, fieldsOf(line.event))
    case 'hook_event':
      return decodeHook(parts, line)
    case 'run_start':
      return setDetails(parts, line)
    case 'run_result':
      return runResult(parts, line)
    // What stopped the run is in the result.
    case 'run_abort_requested':
    case 'run_aborted':
      return
    default:
      return emitRaw(parts, line)
  }
}

const emitRaw = ({ emit }: ClineParts, line: Fields) => emit({ type: 'raw', agent: 'cline', line })

const decodeEvent = (parts: ClineParts, line: Fields, event: Fields) => {
  const { run, threads, emit } = parts
  switch (event.type) {
    case 'content_start':
      return contentStart(parts, line, event)
    case 'content_update':
      return contentUpdate(parts, event)
    case 'content_end':
      return contentEnd(parts, line, event)
    case 'iteration_start':
      run.act()
      threads.current().finish({ reason: 'interrupted' })
      return threads.current().parent === undefined ? run.startTurn() : undefined
    case 'iteration_end':
      return iterationEnd(parts, event)
    case 'usage':
      run.act()
      return threads.current().usage(event)
    case 'error':
      return decodeError(parts, event)
    case 'notice':
      return emit(notice(event.noticeType === 'status' ? 'info' : 'warning', event.message))
    // `run_result` ends the run. A subagent prints a `done` of its own.
    case 'done':
      return
    default:
      return emitRaw(parts, line)
  }
}

/** Every part of a text is a `content_start`. */
const contentStart = (parts: ClineParts, line: Fields, event: Fields) => {
  const { run, threads, calls } = parts
  const thread = threads.current()
  const { contentType } = event
  if (contentType === 'text' || contentType === 'reasoning') {
    run.act()
    const kind = contentType === 'text' ? 'text' : 'thinking'
    return thread.delta(kind, textOfContent(event, kind))
  }
  const toolCallId = stringOf(event.toolCallId)
  if (contentType !== 'tool' || toolCallId === undefined) return emitRaw(parts, line)
  run.act()
  const toolName = stringOf(event.toolName) ?? 'unknown'
  const input = event.input ?? {}
  thread.tool(toolCallId, toolName, input)
  calls.start(toolCallId, toolName, input, thread.parent)
}

const contentUpdate = ({ calls }: ClineParts, event: Fields) => {
  const { update } = event
  const chunk = stringOf(update) ?? stringOf(fieldsOf(update).chunk)
  if (chunk !== undefined) calls.output(stringOf(event.toolCallId) ?? '', chunk)
}

/** The end of the thinking comes after the end of the text. */
const contentEnd = (parts: ClineParts, line: Fields, event: Fields) => {
  const { run, threads, calls } = parts
  const { contentType } = event
  run.act()
  if (contentType === 'text' || contentType === 'reasoning') {
    const kind = contentType === 'text' ? 'text' : 'thinking'
    return threads.current().complete(kind, textOfContent(event, kind))
  }
  const toolCallId = stringOf(event.toolCallId)
  if (contentType !== 'tool' || toolCallId === undefined) return emitRaw(parts, line)
  calls.end(toolCallId, outcomeOf(event))
}

const iterationEnd = ({ run, threads }: ClineParts, event: Fields) => {
  const thread = threads.current()
  const usage = thread.finish({ hasCalls: event.hadToolCalls === true })
  if (thread.parent === undefined) run.endTurn(undefined, usage)
}

const decodeError = (parts: ClineParts, event: Fields) => {
  const { run, threads, emit } = parts
  const message = stringOf(fieldsOf(event.error).message) ?? ''
  if (event.recoverable === true) {
    if (!repeatsToolFailure(message)) emit(notice('warning', message))
    return
  }
  run.act()
  const errorMessage = errorText(message)
  threads.current().finish({ reason: 'error', errorMessage })
  if (threads.current().parent === undefined) run.settle({ stopReason: 'error', errorMessage })
}

const notice = (level: string, message: unknown) => ({
  type: 'session_update' as const,
  notice: { level, text: stringOf(message) ?? '' },
})

const decodeHook = ({ run, threads }: ClineParts, line: Fields) => {
  const agentId = stringOf(line.agentId) ?? ''
  if (line.hookEventName === 'agent_start') {
    run.act()
    if (typeof line.parentAgentId === 'string') threads.enter(agentId)
  } else if (line.hookEventName === 'agent_end') threads.leave(agentId)
}

const setDetails = ({ emit, hasStarted, threads }: ClineParts, line: Fields) => {
  const details = clineDetails(line)
  threads.model = details.model ?? threads.model
  if (hasStarted()) emit({ type: 'session_update', ...details })
  else emit({ type: 'session_start', agent: 'cline', ...details })
}

const runResult = (parts: ClineParts, line: Fields) => {
  const { run, threads, emit } = parts
  const model = stringOf(fieldsOf(line.model).id)
  if (model !== undefined && model !== threads.model) emit({ type: 'session_update', model })
  threads.model = model ?? threads.model
  const outcome = outcomeOfRun(line)
  closeOpen(parts, { reason: outcome.stopReason === 'stop' ? 'interrupted' : outcome.stopReason })
  run.end(outcome)
}
