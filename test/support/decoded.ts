import { expect } from 'vitest'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent, EventOf, EventType } from '../../src/events/types.ts'
import { createTextCollector } from '../../src/handler/text-collector.ts'
import { decodeLines, type Recording } from './recordings.ts'

/** Decodes lines given as values, and checks the order of the events. */
export const decoderOf =
  (agent: Recording['agent']) =>
  (...lines: unknown[]): AgentEvent[] => {
    const events = decodeLines(agent, lines)
    expect(checkOrder(events)).toEqual([])
    return events
  }

/** The text that a reader sees. */
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

/** The deltas of the text. */
export const deltasOf = (events: readonly AgentEvent[]): string[] =>
  updatesOf(events).flatMap((update) => (update.type === 'text_delta' ? [update.delta] : []))

/** Parses events that were printed one per line, and checks their order. */
export const eventsIn = (stdout: string): AgentEvent[] => {
  const lines = stdout.trimEnd().split('\n')
  const events = lines.map((line): AgentEvent => JSON.parse(line))
  expect(checkOrder(events)).toEqual([])
  return events
}
