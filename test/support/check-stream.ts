import { expect } from 'vitest'
import { agentEvent } from '../../src/events/index.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent } from '../../src/events/types.ts'

/** What holds for every stream, whatever happened to it on its way. */
export const checkStream = (events: readonly AgentEvent[]): void => {
  const count = (type: AgentEvent['type']) => events.filter((event) => event.type === type).length
  expect(checkOrder(events)).toEqual([])
  expect(count('agent_end')).toBe(count('agent_start'))
  expect(count('message_end')).toBe(count('message_start'))
  expect(count('tool_execution_end')).toBe(count('tool_call'))
  for (const event of events) expect(agentEvent.safeParse(event).error).toBeUndefined()
}
