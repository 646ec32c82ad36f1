import { defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import { providerError } from '../provider-error.ts'
import type { QwenParts } from './parts.ts'
import { figuresOf, reportOf } from './wire.ts'

/** Decodes a `result` line, which ends a run. */
export const decodeResult = (parts: QwenParts, line: Fields) => {
  const { run, calls, messages, permissions, retry } = parts
  const error = line.is_error === true ? (errorIn(line) ?? 'Qwen Code failed.') : undefined
  if (error !== undefined && isOfSubagent(parts, line)) return subagentFailed(parts, error)
  run.act()
  const isAborted = error !== undefined && (parts.isInterrupted || error === cancelled)
  const failure = failureOf(error, isAborted)
  // The text of a model may only look like an error.
  const isError = failure === undefined || messages.heldError() === error
  messages.finish(isError || isAborted ? failure : undefined)
  permissions.denials(line)
  calls.interrupt((parent) => parent === undefined)
  retry.end(failure?.errorMessage)
  report(parts, line)
  parts.isInterrupted = false
  const { errorMessage } = failure ?? {}
  const stopReason = failure?.reason ?? 'stop'
  run.end({ stopReason, ...defined({ errorMessage }), ...figuresOf(line) })
}

const cancelled = 'Operation cancelled.'

const errorIn = (line: Fields): string | undefined => stringOf(fieldsOf(line.error).message)

const failureOf = (error: string | undefined, isAborted: boolean) => {
  if (error === undefined) return undefined
  if (isAborted) return { reason: 'aborted' }
  return { reason: 'error', errorMessage: providerError(error).errorMessage }
}

/** Reports the counters in a line. */
export const report = (parts: QwenParts, line: Fields) => {
  const reported = reportOf(line, parts.session.model ?? 'unknown')
  if (!reported) return
  const { isResumed } = parts
  parts.isResumed = false
  parts.queue.emit({
    type: 'session_update',
    reported: { ...reported, ...(isResumed && { isResumed }) },
  })
}

/** The failure of a subagent is printed as a result, too. It has no figures. The run goes on. */
const isOfSubagent = ({ subagents }: QwenParts, line: Fields): boolean =>
  subagents.hasForeground() &&
  line.duration_ms === 0 &&
  fieldsOf(line.usage).cache_read_input_tokens === undefined

const subagentFailed = ({ queue }: QwenParts, text: string) =>
  queue.emit({ type: 'session_update', notice: { level: 'warning', text } })
