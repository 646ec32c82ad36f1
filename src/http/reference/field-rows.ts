import { type JsonSchema, nameIn } from './schemas.ts'

/** A row of a table of fields. */
export interface FieldRow {
  name: string
  type: string
  isRequired: boolean
  description: string
}

/** The fields of an object schema. */
export const fieldRows = ({ properties = {}, required = [] }: JsonSchema): FieldRow[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeLabel(schema),
    isRequired: required.includes(name),
    description: typeof schema === 'object' ? (schema.description ?? '') : '',
  }))

/** The type that a schema describes, as TypeScript would write it. */
export const typeLabel = (schema: JsonSchema | boolean): string => {
  if (typeof schema === 'boolean') return 'any'
  if (schema.$ref !== undefined) return nameIn(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(typeLabel))].join(' | ')
  if (schema.allOf) return schema.allOf.map(typeLabel).join(' & ')
  return simpleTypeLabel(schema)
}

const simpleTypeLabel = ({ type, items, additionalProperties }: JsonSchema): string => {
  if (Array.isArray(type)) return type.join(' | ')
  if (type === 'array') {
    const [item] = Array.isArray(items) ? items : [items]
    const label = item === undefined ? 'any' : typeLabel(item)
    return label.includes(' ') ? `(${label})[]` : `${label}[]`
  }
  if (type === 'object' && typeof additionalProperties === 'object')
    return `map of ${typeLabel(additionalProperties)}`
  return type ?? 'any'
}
