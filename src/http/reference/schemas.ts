import { z } from 'zod'
import * as api from '../../api/index.ts'

export type JsonSchema = z.core.JSONSchema.BaseSchema

const options = { io: 'input', unrepresentable: 'any' } as const

/** The names of the API's schemas. Sorted, because bundlers change the order of exports. */
const names = new Map<z.ZodType, string>()
for (const [name, value] of Object.entries(api).sort(([left], [right]) => (left < right ? -1 : 1)))
  if (value instanceof z.ZodType) names.set(value, name.charAt(0).toUpperCase() + name.slice(1))

/** A reference to a schema that has a name; otherwise the schema itself. */
export const schemaOf = (schema: z.ZodType): JsonSchema => {
  const name = names.get(schema)
  return name === undefined ? wholeSchema(schema) : { $ref: refTo(name) }
}

/** The schema itself, even when it has a name. */
export const wholeSchema = (schema: z.ZodType): JsonSchema =>
  withoutHeader(z.toJSONSchema(schema, options))

const refTo = (name: string): string => `#/components/schemas/${name}`

/** The name in a reference. */
export const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** All schemas that have a name. */
export const namedSchemas = (): Record<string, JsonSchema> => {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of names) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { ...options, uri: refTo })
  return Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => name !== '__shared')
      .map(([name, schema]) => [name, withoutHeader(schema)]),
  )
}

/** Without the fields that only a schema document has. */
const withoutHeader = ({ $schema: _, $id: __, ...schema }: JsonSchema): JsonSchema => schema
