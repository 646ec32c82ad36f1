import { type JsonSchema, nameIn } from './schemas.ts'

export interface Field {
  name: string
  type: string
  isRequired: boolean
  description: string
}

/** The fields of an object. */
export const fieldRows = ({ properties = {}, required = [] }: JsonSchema): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    type: describe(schema),
    isRequired: required.includes(name),
    description: typeof schema === 'object' ? (schema.description ?? '') : '',
  }))

/** A schema in a few words. */
export const describe = (schema: JsonSchema | boolean): string => {
  if (typeof schema === 'boolean') return 'any'
  if (schema.$ref !== undefined) return nameIn(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(describe))].join(' | ')
  if (schema.allOf) return schema.allOf.map(describe).join(' & ')
  return plainWords(schema)
}

const plainWords = ({ type, items, additionalProperties }: JsonSchema): string => {
  if (Array.isArray(type)) return type.join(' | ')
  if (type === 'array') {
    const [item] = Array.isArray(items) ? items : [items]
    const words = item === undefined ? 'any' : describe(item)
    return words.includes(' ') ? `(${words})[]` : `${words}[]`
  }
  if (type === 'object' && typeof additionalProperties === 'object')
    return `map of ${describe(additionalProperties)}`
  return type ?? 'any'
}
