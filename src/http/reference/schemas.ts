import { z } from 'zod'
import * as api from '../../api/index.ts'

export type JsonSchema = z.core.JSONSchema.BaseSchema

const options = { io: 'input', unrepresentable: 'any' } as const

/** Schemas of the API, which have a name of their own. By name: bundlers have orders of their own. */
const names = new Map<z.ZodType, string>()
for (const [name, value] of Object.entries(api).sort(([left], [right]) => (left < right ? -1 : 1)))
  if (value instanceof z.ZodType) names.set(value, name.charAt(0).toUpperCase() + name.slice(1))

/** A schema by its name where it has one, else as a whole. */
export const schemaOf = (schema: z.ZodType): JsonSchema => {
  const name = names.get(schema)
  return name === undefined ? wholeSchema(schema) : { $ref: refTo(name) }
}

/** A schema with all that it says, whether it has a name or not. */
export const wholeSchema = (schema: z.ZodType): JsonSchema => bare(z.toJSONSchema(schema, options))

const refTo = (name: string): string => `#/components/schemas/${name}`

/** The name that a reference leads to. */
export const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** Every schema that has a name. */
export const namedSchemas = (): Record<string, JsonSchema> => {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of names) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { ...options, uri: refTo })
  return Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => name !== '__shared')
      .map(([name, schema]) => [name, bare(schema)]),
  )
}

/** Without what only stands at the top of a schema of its own. */
const bare = ({ $schema: _, $id: __, ...schema }: JsonSchema): JsonSchema => schema
