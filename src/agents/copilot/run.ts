import { countOf, defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { PlainOutcome } from '../plain-run.ts'

/** What will be the end of a run, as far as the lines say it. */
export interface RunState {
  isAborted: boolean
  /** The error of the last model call that failed for good. */
  errorMessage: string | undefined
}

/** How a run ends. A `result` line reports an exit code of 0 also for a run that was stopped. */
export const outcomeOfRun = (state: RunState, result: Fields = {}): PlainOutcome => {
  const { errorMessage = exitErrorOf(result) } = state
  const figures = figuresOf(result)
  if (state.isAborted) return { stopReason: 'aborted', ...figures }
  if (errorMessage !== undefined) return { stopReason: 'error', errorMessage, ...figures }
  return { stopReason: 'stop', ...figures }
}

const exitErrorOf = ({ exitCode }: Fields): string | undefined =>
  typeof exitCode === 'number' && exitCode !== 0
    ? `GitHub Copilot ended with exit code ${exitCode}.`
    : undefined

const figuresOf = (result: Fields) => {
  const usage = fieldsOf(result.usage)
  return defined({
    durationMs: countOf(usage.sessionDurationMs),
    durationApiMs: countOf(usage.totalApiDurationMs),
  })
}

/** The message of a `session.error` line. */
export const errorOf = (data: Fields): string =>
  stringOf(data.message) ?? stringOf(data.errorType) ?? 'The run failed.'
