import type { StampedEvent } from '../../src/events/index.ts'
import { fieldList } from './fields.ts'
import { code, table } from './markdown.ts'
import { type Picked, pick } from './pick.ts'
import type { Recorded } from './recorded.ts'
import type { JsonSchema } from './schema.ts'
import { type ShapeName, shapes } from './shapes.ts'

const longestExample = 160
const onlyType = new Set(['type'])

/** Where a recording holds values of a shape that comes in variants. */
const found: Partial<Record<ShapeName, (event: StampedEvent) => readonly { type: string }[]>> = {
  assistantMessageEvent: (event) =>
    event.type === 'message_update' ? [event.assistantMessageEvent] : [],
  // What a model or a tool said shows more than the scripted prompts.
  block: (event) =>
    (event.type === 'message_end' && event.message.role === 'assistant') ||
    event.type === 'tool_result'
      ? event.message.content
      : [],
}

/** The variants of a shape as a table with a real example of each; undefined if it has none. */
export const variants = (
  name: string,
  definition: JsonSchema,
  recorded: readonly Recorded[],
): string | undefined => {
  const shape = Object.keys(found).find((key): key is ShapeName => key === name)
  const valuesOf = shape && found[shape]
  const branches = definition.oneOf ?? definition.anyOf
  if (!valuesOf || !branches) return undefined
  const known = new Set(branches.map(kindOf))
  const rows = branches.map((branch) => {
    const kind = kindOf(branch)
    const isIt = (type: string) => (kind === undefined ? !known.has(type) : type === kind)
    const example = pick(candidates(recorded, valuesOf, isIt), longestExample)
    if (!example) throw new Error(`no recording holds the ${kind ?? 'unknown'} variant of ${name}`)
    shapes[shape].schema.parse(example.value)
    return [
      kind === undefined ? 'any other' : code(kind),
      branch.description ?? '',
      kind === undefined ? 'as the agent gave them' : fieldList(branch, onlyType),
      code(JSON.stringify(example.value)),
    ]
  })
  return table(['`type`', 'Meaning', 'Further fields', 'Example'], rows)
}

const kindOf = ({ properties }: JsonSchema): string | undefined => {
  const type = properties?.type
  return typeof type === 'object' && typeof type.const === 'string' ? type.const : undefined
}

const candidates = function* (
  recorded: readonly Recorded[],
  valuesOf: (event: StampedEvent) => readonly { type: string }[],
  isIt: (type: string) => boolean,
): Generator<Picked> {
  for (const { name, events } of recorded)
    for (const event of events)
      for (const value of valuesOf(event)) if (isIt(value.type)) yield { value, from: name }
}
