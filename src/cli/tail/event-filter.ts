import { stampedTypes } from '../../client/stream-events.ts'
import type { EventType, StampedEvent } from '../../events/types.ts'
import { Fault } from '../../shared/fault.ts'

/** Whether an event of a session is printed. */
export type EventFilter = (event: StampedEvent, agent: string) => boolean

const filterKeys = ['type', 'tool', 'agent'] as const
type FilterKey = (typeof filterKeys)[number]

/**
 * Reads filters such as `type=tool_*,error`, `tool=bash` and `agent=pi`. Each of them must fit; in one
 * of them, any of the values. Without a filter on the type, `isUsual` decides.
 */
export const eventFilter = (texts: readonly string[], isUsual: EventFilter): EventFilter => {
  const filters = texts.map(parseFilter)
  const hasType = filters.some(({ key }) => key === 'type')
  return (event, agent) =>
    (hasType || isUsual(event, agent)) &&
    filters.every(({ key, fits }) => {
      const value = fieldIn(key, event, agent)
      return value !== undefined && fits(value)
    })
}

interface ParsedFilter {
  key: FilterKey
  fits(value: string): boolean
}

const parseFilter = (text: string): ParsedFilter => {
  const [name = '', list = ''] = text.split(/=(.*)/s)
  const key = filterKeys.find((each) => each === name)
  const values = list.split(',').filter((value) => value !== '')
  if (key === undefined || values.length === 0)
    throw new Fault('usage', `${text} is not a filter. Use type=…, tool=… or agent=….`)
  const patterns = values.map(patternOf)
  const unknown = values.find((_, index) => key === 'type' && !hasType(patterns[index]))
  if (unknown !== undefined)
    throw new Fault('usage', `No event has the type ${unknown}. docs/events.md lists the types.`)
  return { key, fits: (value) => patterns.some((pattern) => pattern.test(value)) }
}

/** `*` stands for any characters. */
const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.split('*').map(escaped).join('.*')}$`, 'i')

const escaped = (text: string): string => text.replaceAll(/[^\w]/g, String.raw`\$&`)

const hasType = (pattern: RegExp | undefined): boolean =>
  Object.keys(stampedTypes).some((type) => pattern?.test(type) === true)

const fieldIn = (key: FilterKey, event: StampedEvent, agent: string): string | undefined => {
  if (key === 'type') return event.type
  if (key === 'agent') return agent
  return 'toolName' in event ? event.toolName : undefined
}

/** Events that come in great numbers, or that only programs need. They are printed on request. */
const unusual = new Set<EventType>([
  ...(['message_start', 'message_update', 'message_delivery', 'turn_start', 'turn_end'] as const),
  ...(['turn_state', 'tool_execution_start', 'tool_execution_update', 'tool_result'] as const),
  ...(['usage_update', 'queue_update', 'raw'] as const),
])

/** Whether a person who follows a session wants to see an event. */
export const isUsualEvent: EventFilter = (event) => {
  if (event.type === 'session_update') return event.notice !== undefined
  return !unusual.has(event.type)
}
