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
import { aboutShape, shapes } from './shapes.ts'

export type JsonSchema = z.core.JSONSchema.JSONSchema

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>

/** Every event as a reader gets it, by type: agent events stamped, connection events as they are. */
export const wireEvents: ReadonlyMap<string, z.ZodType> = new Map([
  ...agentEvent.options.map((option) => entry(option.shape.type.value, stamped(option))),
  ...connectionEvent.options.map((option) => entry(option.shape.type.value, option)),
])

/** The whole vocabulary as one JSON Schema: an event is valid by exactly one branch. */
export const eventsSchema = (): JsonSchema & { $defs: Record<string, JsonSchema> } => {
  const named = z.registry<{ id: string }>()
  for (const [type, schema] of wireEvents) named.add(schema, { id: type })
  for (const [name, { schema }] of Object.entries(shapes)) named.add(schema, { id: name })
  const { schemas } = z.toJSONSchema(named, { uri: refTo, override: refuseKnownKinds })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:sluice:events',
    title: 'Sluice events',
    description: 'One event as a reader gets it: an agent’s, stamped, or a connection’s.',
    oneOf: [...wireEvents.keys()].map((type) => ({ $ref: refTo(type) })),
    $defs: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, definition(name, schema)]),
    ),
  }
}

/** What a definition is for: the words of its schema, or else those of the table of shapes. */
const definition = (name: string, { $schema, $id, ...schema }: JsonSchema): JsonSchema => {
  const description = schema.description ?? aboutShape(name)
  return { ...(description !== undefined && { description }), ...schema }
}

const refTo = (name: string) => `#/$defs/${name}`

/** JSON Schema cannot see into a refinement: the kinds that a foreign block may not have. */
const refuseKnownKinds: Override = ({ zodSchema, jsonSchema }) => {
  const kinds = [textBlock, thinkingBlock, toolCallBlock, imageBlock]
  const isForeign = Object.is(zodSchema, otherBlock.shape.type)
  if (isForeign) jsonSchema.not = { enum: kinds.map((kind) => kind.shape.type.value) }
}

function stamped({ shape, description = '' }: z.ZodObject): z.ZodType {
  return z.strictObject({ type: shape.type, ...envelope.shape, ...shape }).describe(description)
}

function entry(type: string, schema: z.ZodType): [string, z.ZodType] {
  return [type, schema]
}
