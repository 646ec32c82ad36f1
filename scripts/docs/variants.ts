import type { Block, StampedEvent } from '../../src/events/index.ts'
import { fieldList } from './fields.ts'
import { code, table } from './markdown.ts'
import { type Picked, pick } from './pick.ts'
import type { Recorded } from './recorded.ts'
import type { JsonSchema } from './schema.ts'
import { type ShapeName, shapes } from './shapes.ts'

const longestExample = 160
const onlyType = new Set(['type'])

/** The values of a shape in an event, for each shape that has variants. */
const valuesIn: Partial<Record<ShapeName, (event: StampedEvent) => readonly { type: string }[]>> = {
  assistantMessageEvent: (event) =>
    event.type === 'message_update' ? [event.assistantMessageEvent] : [],
  // Output of models and tools shows more than the scripted prompts.
  block: (event) =>
    (event.type === 'message_end' && event.message.role === 'assistant') ||
    event.type === 'tool_result'
      ? event.message.content
      : [],
}

/** Examples of what only Sluice writes, so that no agent’s recording has it. */
const written: Readonly<Record<string, Block>> = {
  attachedFile: {
    ...{ type: 'attachedFile', name: 'notes.md', mimeType: 'text/plain' },
    data: Buffer.from('Use tabs.').toString('base64'),
  },
}

/** A table of the variants of a shape, each with a recorded example; undefined without variants. */
export const variants = (
  name: string,
  definition: JsonSchema,
  recorded: readonly Recorded[],
): string | undefined => {
  const shape = Object.keys(valuesIn).find((key): key is ShapeName => key === name)
  const valuesOf = shape && valuesIn[shape]
  const branches = definition.oneOf ?? definition.anyOf
  if (!valuesOf || !branches) return undefined
  const listed = new Set(branches.map(typeOf))
  const rows = branches.map((branch) => {
    const type = typeOf(branch)
    const matches = (each: string) => (type === undefined ? !listed.has(each) : each === type)
    const own = type === undefined ? undefined : written[type]
    const example = own
      ? { value: own }
      : pick(candidates(recorded, valuesOf, matches), longestExample)
    if (!example) throw new Error(`no recording has the ${type ?? 'unknown'} variant of ${name}`)
    shapes[shape].parse(example.value)
    return [
      type === undefined ? 'any other' : code(type),
      branch.description ?? '',
      type === undefined ? 'as in the agent’s output' : fieldList(branch, onlyType),
      code(JSON.stringify(example.value)),
    ]
  })
  return table(['`type`', 'Meaning', 'Further fields', 'Example'], rows)
}

const typeOf = ({ properties }: JsonSchema): string | undefined => {
  const type = properties?.type
  return typeof type === 'object' && typeof type.const === 'string' ? type.const : undefined
}

const candidates = function* (
  recorded: readonly Recorded[],
  valuesOf: (event: StampedEvent) => readonly { type: string }[],
  matches: (type: string) => boolean,
): Generator<Picked> {
  for (const { name, events } of recorded)
    for (const event of events)
      for (const value of valuesOf(event)) if (matches(value.type)) yield { value, from: name }
}
