import type { JsonSchema } from './schema.ts'

/** A JSON Schema as a TypeScript type. References are names of types. */
export const typeText = (schema: JsonSchema | boolean): string => {
  if (typeof schema === 'boolean') return 'unknown'
  if (schema.$ref !== undefined) return schema.$ref
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return unionText(schema.enum.map((value) => JSON.stringify(value)))
  const branches = schema.anyOf ?? schema.oneOf
  if (branches) return unionText(branches.map(typeText))
  if (schema.type === 'array') return arrayText(schema)
  if (schema.type === 'object') return objectText(schema)
  if (schema.type === 'integer') return 'number'
  return schema.type === undefined ? 'unknown' : unionText([schema.type].flat())
}

/** A union of types, each of them once. */
export const unionText = (types: readonly string[]): string => [...new Set(types)].join(' | ')

const arrayText = ({ items }: JsonSchema): string => {
  const item = typeText(Array.isArray(items) ? true : (items ?? true))
  return item.includes(' ') ? `(${item})[]` : `${item}[]`
}

const objectText = ({ properties = {}, required, additionalProperties }: JsonSchema): string => {
  const fields = Object.entries(properties)
  if (fields.length === 0) return `Record<string, ${typeText(additionalProperties ?? true)}>`
  const inner = fields.map(
    ([name, field]) => `${name}${required?.includes(name) ? '' : '?'}: ${typeText(field)}`,
  )
  return `{ ${inner.join('; ')} }`
}
