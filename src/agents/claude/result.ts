import { type Fields, ownValue, stringOf, stringsOf } from '../../shared/fields.ts'
import { providerError } from '../provider-error.ts'
import type { ClaudeParts } from './parts.ts'
import type { Outcome } from './run.ts'
import { stopReasonOf, textOfBlocks } from './wire.ts'

/** Decodes a `result` line, which ends a turn of the conversation. */
export const decodeResult = (parts: ClaudeParts, line: Fields) => {
  const { session, run, permissions, messages } = parts
  if (isHeldBack(parts, line)) {
    parts.heldAnswer = undefined
    return void session.report(line, false)
  }
  parts.heldAnswer = undefined
  const outcome = outcomeOf(line, parts.isInterrupted)
  run.act()
  closeTurn(parts, outcome)
  const last = messages.takeLastOfTurn()
  if (!last && !parts.hasOutput) emitResultText(parts, line, outcome)
  run.endTurn(last?.stopReason ?? outcome.stopReason, last?.usage)
  permissions.denials(line)
  const figures = session.report(line, last === undefined)
  parts.isInterrupted = false
  parts.hasCompacted = false
  run.result({ ...outcome, ...figures })
}

/**
 * Some versions hold the result back, or drop it, while a subagent works in the background. They wait
 * for input all the same: the run ends with its answer, or with its interruption.
 */
export const endWithoutResult = (parts: ClaudeParts) => {
  const { run, messages, tasks } = parts
  if (!run.isOpen() || !tasks.holdsResults()) return
  const last = messages.lastOfTurn()
  if (!parts.isInterrupted && last?.stopReason !== 'stop') return
  const outcome = { stopReason: parts.isInterrupted ? 'aborted' : 'stop' }
  parts.heldAnswer = last && textOfBlocks(last.content)
  parts.isInterrupted = false
  closeTurn(parts, outcome)
  messages.takeLastOfTurn()
  run.endTurn(last?.stopReason ?? outcome.stopReason, last?.usage)
  run.end(outcome)
}

/** Whether a result belongs to a run that ended before. The answer in it says which run it is of. */
const isHeldBack = ({ heldAnswer, run, messages }: ClaudeParts, line: Fields): boolean => {
  if (heldAnswer === undefined) return false
  if (!run.isOpen()) return true
  const last = messages.lastOfTurn()
  return stringOf(line.result) === heldAnswer && heldAnswer !== (last && textOfBlocks(last.content))
}

/** Ends what belongs to the turn. What works in the background stays open. */
const closeTurn = (parts: ClaudeParts, outcome: Outcome) => {
  const { messages, tools, retry, compaction } = parts
  if (outcome.stopReason === 'aborted') messages.abort()
  messages.closeThread(undefined)
  tools.closeTurn()
  messages.closeSubagents()
  retry.end(outcome.stopReason === 'error' ? outcome.errorMessage : undefined)
  compaction.conversationContinues()
}

/**
 * The text of a result is the answer where nothing else was printed: with `--output-format json`, and
 * for an unknown command.
 */
const emitResultText = ({ messages }: ClaudeParts, line: Fields, { errorMessage }: Outcome) => {
  const text = stringOf(line.result)
  if (!text) return
  const content = [{ type: 'text', text }]
  const message = { id: stringOf(line.uuid), model: '<synthetic>', content }
  messages.assistant({ message, ...(errorMessage !== undefined && { error: 'result' }) })
}

/** How a turn ended. `isInterrupted`: the person was seen to interrupt it. */
const outcomeOf = (result: Fields, isInterrupted: boolean): Outcome => {
  const ending = stringOf(result.terminal_reason) ?? ''
  const isFailed = hasFailed(result)
  const isExecutionError = result.subtype === 'error_during_execution'
  if (ending.startsWith('aborted') || (isFailed && isInterrupted && isExecutionError))
    return { stopReason: 'aborted' }
  if (!isFailed) return { stopReason: stopReasonOf(result.stop_reason) ?? 'stop' }
  return { stopReason: 'error', errorMessage: errorMessageOf(result) }
}

/** A turn failed if it says so, or if its subtype is an error: `success` alone says little. */
const hasFailed = (result: Fields): boolean =>
  result.is_error === true || (stringOf(result.subtype) ?? '').startsWith('error')

const errorMessageOf = (result: Fields): string => {
  const text = stringOf(result.result)
  if (text) return providerError(text).errorMessage
  const errors = stringsOf(result.errors)
  if (errors.length > 0) return errors.join('\n')
  const subtype = stringOf(result.subtype) ?? 'error'
  return ownValue(endings, subtype) ?? subtype
}

/** Old versions report nothing but the subtype. */
const endings: Readonly<Record<string, string>> = {
  error_max_turns: 'The maximum number of turns was reached.',
  error_max_budget_usd: 'The maximum cost was reached.',
  error_during_execution: 'The agent failed in the middle of its work.',
}
