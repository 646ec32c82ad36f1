import { expect } from 'vitest'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent, EventOf, EventType } from '../../src/events/types.ts'
import { createTextCollector } from '../../src/handler/text-collector.ts'
import { decodeLines, type Recording } from './recordings.ts'

/** Decodes lines given as values; whatever they are, the order must hold. */
export const decoderOf =
  (agent: Recording['agent']) =>
  (...lines: unknown[]): AgentEvent[] => {
    const events = decodeLines(agent, lines)
    expect(checkOrder(events)).toEqual([])
    return events
  }

/** What a reader would have read. */
export const textOf = (events: readonly AgentEvent[]): string => {
  const text = createTextCollector()
  for (const event of events) text.push(event)
  return text.text()
}

export const ofType = <Type extends EventType>(
  events: readonly AgentEvent[],
  type: Type,
): EventOf<Type>[] => events.filter((event): event is EventOf<Type> => event.type === type)

export const updatesOf = (events: readonly AgentEvent[]) =>
  ofType(events, 'message_update').map((event) => event.assistantMessageEvent)

/** The pieces in which text was streamed. */
export const deltasOf = (events: readonly AgentEvent[]): string[] =>
  updatesOf(events).flatMap((update) => (update.type === 'text_delta' ? [update.delta] : []))

/** Events that were printed one per line; their order must hold. */
export const eventsIn = (stdout: string): AgentEvent[] => {
  const lines = stdout.trimEnd().split('\n')
  const events = lines.map((line): AgentEvent => JSON.parse(line))
  expect(checkOrder(events)).toEqual([])
  return events
}
