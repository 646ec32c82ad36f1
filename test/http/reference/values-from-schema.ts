import fc from 'fast-check'
import type { JsonSchema } from '../../../src/http/reference/schemas.ts'

/** Values that match a JSON Schema, as far as ours go. `resolve` returns the schema of a reference. */
export const valuesFromSchema = (
  schema: JsonSchema | boolean,
  resolve: (ref: string) => JsonSchema,
  depth = 0,
): fc.Arbitrary<unknown> => {
  if (typeof schema === 'boolean' || depth > 6) return fc.jsonValue({ maxDepth: 2 })
  const inner = (each: JsonSchema | boolean) => valuesFromSchema(each, resolve, depth + 1)
  if (schema.$ref !== undefined) return inner(resolve(schema.$ref))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map(inner))
  switch (schema.type) {
    case 'string':
      return text(schema)
    case 'integer':
      return fc.integer(bounds(schema))
    case 'number':
      return fc.oneof(fc.integer(bounds(schema)), fc.double({ noNaN: true }))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(inner(itemOf(schema)), { maxLength: Math.min(schema.maxItems ?? 3, 3) })
    case 'object':
      return object(schema, inner)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

/** Usual numbers, and the bounds. */
const bounds = ({ minimum, maximum }: JsonSchema) => ({
  min: Math.max(minimum ?? -1000, -(2 ** 31)),
  max: Math.min(maximum ?? 10_000, 2 ** 31 - 1),
})

const text = ({ minLength = 0, maxLength = 40, pattern, format }: JsonSchema) => {
  if (format === 'base64') return fc.base64String()
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  return fc.string({ minLength, maxLength: Math.min(maxLength, 40), unit: 'binary' })
}

const itemOf = ({ items }: JsonSchema): JsonSchema | boolean => {
  const [first = true] = Array.isArray(items) ? items : [items ?? true]
  return first
}

const object = (
  { properties = {}, required = [] }: JsonSchema,
  inner: (schema: JsonSchema | boolean) => fc.Arbitrary<unknown>,
) =>
  fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, inner(each)])),
    { requiredKeys: required },
  )
