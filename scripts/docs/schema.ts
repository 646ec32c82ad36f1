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
import { type ShapeName, shapes } from './shapes.ts'

export type JsonSchema = z.core.JSONSchema.JSONSchema

/** Every event as a reader gets it, by type: agent events stamped, connection events as they are. */
export const wireEvents: ReadonlyMap<string, z.ZodType> = new Map([
  ...agentEvent.options.map((option) => entry(option.shape.type.value, stamped(option))),
  ...connectionEvent.options.map((option) => entry(option.shape.type.value, option)),
])

/** The whole vocabulary as one JSON Schema: an event is valid by exactly one branch. */
export const eventsSchema = (): JsonSchema & { $defs: Record<string, JsonSchema> } => {
  const named = z.registry<{ id: string }>()
  for (const [name, { schema }] of Object.entries(shapes)) named.add(schema, { id: name })
  for (const [type, schema] of wireEvents) named.add(schema, { id: type })
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
  const description = schema.description ?? aboutOf(name)
  return { ...(description !== undefined && { description }), ...schema }
}

const aboutOf = (name: string): string | undefined => {
  const shape = isShapeName(name) ? shapes[name] : undefined
  return shape && 'about' in shape ? shape.about : undefined
}

const isShapeName = (name: string): name is ShapeName => Object.hasOwn(shapes, name)

const refTo = (name: string) => `#/$defs/${name}`

/** JSON Schema cannot see into a refinement: the kinds that a foreign block may not have. */
const refuseKnownKinds: z.core.ToJSONSchemaParams['override'] = ({ zodSchema, jsonSchema }) => {
  const kinds = [textBlock, thinkingBlock, toolCallBlock, imageBlock]
  const isForeign = Object.is(zodSchema, otherBlock.shape.type)
  if (isForeign) jsonSchema.not = { enum: kinds.map((kind) => kind.shape.type.value) }
}

function stamped(event: z.ZodObject): z.ZodType {
  return event.extend(envelope.shape).describe(event.description ?? '')
}

function entry(type: string, schema: z.ZodType): [string, z.ZodType] {
  return [type, schema]
}
