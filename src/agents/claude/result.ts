import { type Fields, stringOf, stringsOf } from '../../shared/fields.ts'
import type { Outcome } from './run.ts'
import { stopReasonOf } from './wire.ts'

/** `subtype: "success"` says little: a turn failed if it says so, or if its subtype is an error’s. */
export const hasFailed = (result: Fields): boolean =>
  result.is_error === true || (stringOf(result.subtype) ?? '').startsWith('error')

/** What a `result` line says about the end of a turn. `interrupted`: a person was seen to stop it. */
export const outcomeOf = (result: Fields, interrupted: boolean): Outcome => {
  const ending = stringOf(result.terminal_reason) ?? ''
  const failed = hasFailed(result)
  if (ending.startsWith('aborted') || (failed && interrupted && isExecution(result)))
    return { stopReason: 'aborted' }
  if (!failed) return { stopReason: stopReasonOf(result.stop_reason) ?? 'stop' }
  return { stopReason: 'error', errorMessage: errorTextOf(result) }
}

const isExecution = (result: Fields) => result.subtype === 'error_during_execution'

const errorTextOf = (result: Fields): string => {
  const said = stringOf(result.result)
  if (said) return said
  const errors = stringsOf(result.errors)
  if (errors.length > 0) return errors.join('\n')
  return stringOf(result.subtype) ?? 'error'
}
