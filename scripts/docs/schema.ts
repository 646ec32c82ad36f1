import { z } from 'zod'
import {
  agentEvent,
  connectionEvent,
  envelope,
  imageBlock,
  otherBlock,
  textBlock,
  thinkingBlock,
  toolCallBlock,
} from '../../src/events/index.ts'
import { shapes } from './shapes.ts'

export type JsonSchema = z.core.JSONSchema.JSONSchema

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>

/** Every event as it is sent, by type: agent events with their envelope, and connection events. */
export const wireEvents: ReadonlyMap<string, z.ZodType> = new Map([
  ...agentEvent.options.map((option) => entry(option.shape.type.value, stamped(option))),
  ...connectionEvent.options.map((option) => entry(option.shape.type.value, option)),
])

/** All events as one JSON Schema. An event matches exactly one branch. */
export const eventsSchema = (): JsonSchema & { $defs: Record<string, JsonSchema> } => {
  const named = z.registry<{ id: string }>()
  for (const [type, schema] of wireEvents) named.add(schema, { id: type })
  for (const [name, schema] of Object.entries(shapes)) named.add(schema, { id: name })
  const { schemas } = z.toJSONSchema(named, { uri: refTo, override: rejectKnownTypes })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:sluice:events',
    title: 'Sluice events',
    description: 'One event of a stream: an agent event with its envelope, or a connection event.',
    oneOf: [...wireEvents.keys()].map((type) => ({ $ref: refTo(type) })),
    $defs: Object.fromEntries(
      Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema]),
    ),
  }
}

const refTo = (name: string) => `#/$defs/${name}`

/** Adds what JSON Schema cannot see in a refinement: the types that `otherBlock` rejects. */
const rejectKnownTypes: Override = ({ zodSchema, jsonSchema }) => {
  if (!Object.is(zodSchema, otherBlock.shape.type)) return
  const blocks = [textBlock, thinkingBlock, toolCallBlock, imageBlock]
  jsonSchema.not = { enum: blocks.map((block) => block.shape.type.value) }
}

function stamped({ shape, description = '' }: z.ZodObject): z.ZodType {
  return z.strictObject({ type: shape.type, ...envelope.shape, ...shape }).describe(description)
}

function entry(type: string, schema: z.ZodType): [string, z.ZodType] {
  return [type, schema]
}
