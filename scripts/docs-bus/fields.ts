import { code, table } from '../docs/markdown.ts'
import type { JsonSchema } from '../docs/schema.ts'
import { typeText, unionText } from '../docs/type-text.ts'

interface Field {
  name: string
  type: string
  isRequired: boolean
  meaning: string
}

/** The fields of a payload as a table. A union has the fields of all its branches. */
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

/** The fields of an object or a union. A field of a union is required if every branch requires it. */
export const fieldsOf = (schema: JsonSchema): Field[] => {
  const branches = schema.anyOf ?? schema.oneOf
  if (!branches) return ownFields(schema)
  const all = branches.map((branch) => (typeof branch === 'object' ? fieldsOf(branch) : []))
  const names = new Set(all.flat().map(({ name }) => name))
  return [...names].map((name) => {
    const same = all.flatMap((fields) => fields.filter((field) => field.name === name))
    return {
      name,
      type: unionText(same.map(({ type }) => type)),
      isRequired: same.length === all.length && same.every(({ isRequired }) => isRequired),
      meaning: same.map(({ meaning }) => meaning).find((meaning) => meaning !== '') ?? '',
    }
  })
}

const ownFields = ({ properties = {}, required }: JsonSchema): Field[] =>
  Object.entries(properties).map(([name, field]) => ({
    name,
    type: typeText(field),
    isRequired: required?.includes(name) ?? false,
    meaning: (typeof field === 'object' && field.description) || '',
  }))

/** `unknown` includes undefined. */
const orUndefined = (type: string): string => (type === 'unknown' ? type : `${type} | undefined`)
