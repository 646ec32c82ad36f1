import type { StreamCounts } from '../agents/stream.ts'
import { createOrderChecker } from '../events/order.ts'
import type { AgentEvent, Totals } from '../events/types.ts'
import { createResultCollector } from '../handler/result-collector.ts'

export interface ToolTally {
  id: string
  name: string
  /** Null when no result ever came. */
  isError: boolean | null
}

/** Counts what a stream contains, for `sluice corpus` and `--out summary`. */
export const createTally = (now: () => number) => {
  const collector = createResultCollector(now)
  const order = createOrderChecker()
  const tools: ToolTally[] = []
  const latest = new Map<string, ToolTally>()
  let events = 0
  let violations = 0
  let ended = false

  return {
    push(event: AgentEvent): void {
      events += 1
      violations += order.push(event).length
      collector.push(event)
      if (event.type === 'agent_start') ended = false
      else if (event.type === 'agent_end') ended = event.interrupted !== true
      else if (event.type === 'tool_call') {
        const tool = { id: event.toolCallId, name: event.toolName, isError: null }
        tools.push(tool)
        latest.set(tool.id, tool)
      } else if (event.type === 'tool_execution_end') {
        const tool = latest.get(event.toolCallId)
        if (tool) tool.isError = event.isError ?? null
      }
    },
    row(counts: StreamCounts) {
      const result = collector.result()
      return {
        lines: counts.lines,
        events,
        raw: counts.raw,
        malformed: counts.malformed + counts.oversize,
        torn: counts.torn,
        violations: violations + order.end().length,
        text: result.text,
        toolCalls: tools,
        turns: result.turns,
        costUsd: result.costUsd,
        usage: result.usage && tokensOf(result.usage),
        ended,
      }
    },
    result: () => collector.result(),
  }
}
export type TallyRow = ReturnType<ReturnType<typeof createTally>['row']>

const tokensOf = ({ input, output, cacheRead, cacheWrite, reasoning }: Totals) => ({
  input,
  output,
  cacheRead,
  cacheWrite,
  ...(reasoning !== undefined && { reasoning }),
})
