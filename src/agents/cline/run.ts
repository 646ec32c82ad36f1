import { countOf, defined, type Fields, stringOf } from '../../shared/fields.ts'
import type { PlainOutcome } from '../plain-run.ts'
import { providerError } from '../provider-error.ts'

/** How a run ended, according to a `run_result` line. */
export const outcomeOfRun = (line: Fields): PlainOutcome => {
  const reason = stringOf(line.finishReason) ?? 'stop'
  const figures = defined({
    durationMs: countOf(line.durationMs),
    numTurns: countOf(line.iterations),
  })
  if (reason === 'error' || reason === 'mistake_limit')
    return { stopReason: 'error', errorMessage: errorText(line.text), ...figures }
  return { stopReason: stopReasons.get(reason) ?? reason, ...figures }
}

const stopReasons = new Map([['completed', 'stop']])

/** An error in words for people. */
export const errorText = (text: unknown): string => {
  const words = stringOf(text) ?? ''
  return words === '' ? 'The run failed.' : providerError(words).errorMessage
}

/** Whether an error only repeats that a tool failed, which the result of the call shows. */
export const repeatsToolFailure = (message: string): boolean =>
  /^\d+ tool call\(s\) failed/.test(message)
