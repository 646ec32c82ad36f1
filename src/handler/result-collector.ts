import type { AgentEndEvent, AgentEvent, UsageUpdateEvent } from '../events/types.ts'
import type { RunResult } from './stream-handler.ts'
import { createTextCollector } from './text-collector.ts'

/** Collects the result of a stream. */
export interface ResultCollector {
  /** Adds one event. */
  push(event: AgentEvent): void
  /** The result of the events so far. */
  result(): RunResult
}

export const createResultCollector = (now: () => number): ResultCollector => {
  const startedAt = now()
  const text = createTextCollector()
  let turns = 0
  let end: AgentEndEvent | undefined
  let usage: UsageUpdateEvent | undefined
  let fatalError: string | undefined
  let budgetError: string | undefined

  return {
    push(event) {
      text.push(event)
      if (event.type === 'turn_end' && event.stopReason !== 'interrupted') turns += 1
      else if (event.type === 'usage_update') usage = event
      else if (event.type === 'agent_end') end = event
      else if (event.type === 'error' && event.fatal) fatalError = event.message
      else if (event.type === 'error' && event.code === 'budget_exceeded')
        budgetError = event.message
    },
    result: () => ({
      text: text.text(),
      finalText: text.finalText(),
      durationMs: now() - startedAt,
      costUsd: usage?.totals.costUsd ?? null,
      turns,
      isError: fatalError !== undefined || end?.interrupted === true || end?.stopReason === 'error',
      stopReason: end?.stopReason,
      errorMessage: fatalError ?? end?.errorMessage ?? budgetError,
      usage: usage?.totals ?? null,
      context: usage?.context ?? null,
    }),
  }
}
