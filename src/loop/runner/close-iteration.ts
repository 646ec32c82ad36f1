import type { EventType, StampedEvent } from '../../events/types.ts'
import { createResultCollector } from '../../handler/result-collector.ts'
import type { Log } from '../../log/log.ts'
import type { LoopRecord } from '../../log/types.ts'
import { withResult } from '../iterations.ts'

/** Events that only an agent at work emits. Recovery adds others, at the time of the next start. */
const ofAgent: ReadonlySet<string> = new Set<EventType>([
  'agent_start',
  'turn_start',
  'message_start',
  'message_update',
  'tool_execution_start',
  'tool_execution_update',
])

/**
 * Closes the iteration that a crash interrupted, with what its session has used. A loop whose iterations
 * are all over stays as it is.
 */
export const closeIteration = async (loop: LoopRecord, log: Log): Promise<LoopRecord> => {
  const last = loop.iterations.at(-1)
  if (!last || last.outcome !== undefined) return loop
  const collector = createResultCollector(() => 0)
  let latest: StampedEvent | undefined
  for await (const event of log.read(last.sessionId, 0)) {
    collector.push(event)
    if (ofAgent.has(event.type)) latest = event
  }
  const { turns, usage, context } = collector.result()
  return withResult(
    loop,
    {
      outcome: 'interrupted',
      durationMs: Math.max(0, (latest?.timestamp ?? last.startedAt) - last.startedAt),
      turns,
      usage: usage ?? undefined,
      context: context ?? undefined,
      message: 'Sluice was ended during the iteration.',
    },
    loop.updatedAt,
  )
}
