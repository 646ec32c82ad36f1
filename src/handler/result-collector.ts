import type { AgentEvent, EventOf } from '../events/types.ts'
import type { RunResult } from './stream-handler.ts'
import { createTextCollector } from './text-collector.ts'

/** Watches a stream and says what it came to. */
export const createResultCollector = (now: () => number) => {
  const started = now()
  const said = createTextCollector()
  let turns = 0
  let last: EventOf<'agent_end'> | undefined
  let usage: EventOf<'usage_update'> | undefined
  let fatal: string | undefined

  return {
    push(event: AgentEvent): void {
      said.push(event)
      if (event.type === 'turn_end' && event.stopReason !== 'interrupted') turns += 1
      else if (event.type === 'usage_update') usage = event
      else if (event.type === 'agent_end') last = event
      else if (event.type === 'error' && event.fatal) fatal = event.message
    },
    result(): RunResult {
      return {
        text: said.text(),
        durationMs: now() - started,
        costUsd: usage?.totals.costUsd ?? null,
        turns,
        isError: fatal !== undefined || last?.interrupted === true || last?.stopReason === 'error',
        stopReason: last?.stopReason,
        errorMessage: fatal ?? last?.errorMessage,
        usage: usage?.totals ?? null,
        context: usage?.context ?? null,
      }
    },
  }
}
