import { code, table } from '../docs/markdown.ts'
import type { JsonSchema } from '../docs/schema.ts'

type Schema = JsonSchema | boolean

interface Field {
  name: string
  type: string
  isRequired: boolean
  meaning: string
}

/** The fields of a payload as a table. A union shows the fields of all its branches. */
export const payloadTable = (schema: JsonSchema): string =>
  table(
    ['Field', 'Type', 'Required', 'Meaning'],
    fieldsOf(schema).map(({ name, type, isRequired, meaning }) => [
      code(name),
      code(isRequired ? type : orUndefined(type)),
      isRequired ? 'yes' : 'no',
      meaning,
    ]),
  )

/** The fields of an object; of a union, those of any branch, required if in every branch. */
export const fieldsOf = (schema: JsonSchema): Field[] => {
  const branches = schema.anyOf ?? schema.oneOf
  if (!branches) return ownFields(schema)
  const all = branches.map((branch) => (typeof branch === 'object' ? fieldsOf(branch) : []))
  const names = new Set(all.flat().map(({ name }) => name))
  return [...names].map((name) => {
    const same = all.flatMap((fields) => fields.filter((field) => field.name === name))
    return {
      name,
      type: union(same.map(({ type }) => type)),
      isRequired: same.length === all.length && same.every(({ isRequired }) => isRequired),
      meaning: same.map(({ meaning }) => meaning).find((meaning) => meaning !== '') ?? '',
    }
  })
}

/** A type as TypeScript writes it. */
export const typeText = (schema: Schema): string => {
  if (typeof schema === 'boolean') return 'unknown'
  if (schema.$ref !== undefined) return schema.$ref
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
  const branches = schema.anyOf ?? schema.oneOf
  if (branches) return union(branches.map(typeText))
  if (schema.type === 'array') return arrayText(schema)
  if (schema.type === 'object') return objectText(schema)
  if (schema.type === 'integer') return 'number'
  return schema.type === undefined ? 'unknown' : union([schema.type].flat())
}

const ownFields = (schema: JsonSchema): Field[] =>
  Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    type: typeText(field),
    isRequired: schema.required?.includes(name) ?? false,
    meaning: (typeof field === 'object' && field.description) || '',
  }))

const arrayText = ({ items }: JsonSchema): string => {
  const item = typeText(Array.isArray(items) ? true : (items ?? true))
  return item.includes(' ') ? `(${item})[]` : `${item}[]`
}

const objectText = (schema: JsonSchema): string => {
  const fields = ownFields(schema)
  if (fields.length === 0) return `Record<string, ${typeText(schema.additionalProperties ?? true)}>`
  const inner = fields.map(
    ({ name, type, isRequired }) => `${name}${isRequired ? '' : '?'}: ${type}`,
  )
  return `{ ${inner.join('; ')} }`
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')

/** Unknown holds undefined already. */
const orUndefined = (type: string): string => (type === 'unknown' ? type : `${type} | undefined`)
