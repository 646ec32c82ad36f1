import { z } from 'zod'
import type { NamedSchema } from './named-schemas.ts'
import type { JsonSchema } from './schema.ts'
import { typeText } from './type-text.ts'

type NamedSchemas = ReadonlyMap<string, NamedSchema>

/** The declaration of a type, with the descriptions of its schema as doc comments. */
export const typeDeclaration = (named: NamedSchema, all: NamedSchemas): string => {
  const { name, definition } = named
  const head = docComment(definition.description, '')
  if (!definition.properties) return `${head}export type ${name} = ${typeText(definition)}`
  const bases = basesOf(named, all)
  const inherited = new Set(bases.flatMap((base) => Object.keys(base.definition.properties ?? {})))
  const fields = Object.entries(definition.properties)
    .filter(([field]) => !inherited.has(field))
    .map(([field, schema]) => fieldDeclaration(named, field, schema, all))
  const heritage = bases.length > 0 ? `extends ${bases.map((base) => base.name).join(', ')} ` : ''
  const isLoose = typeof definition.additionalProperties === 'object'
  return [
    `${head}export interface ${name} ${heritage}{`,
    ...fields,
    ...(isLoose ? ['  [key: string]: unknown'] : []),
    '}',
  ].join('\n')
}

const fieldDeclaration = (
  { name: owner, definition }: NamedSchema,
  name: string,
  field: JsonSchema | boolean,
  all: NamedSchemas,
): string => {
  const type = typeText(field)
  if (type.includes('{'))
    throw new Error(`${owner}.${name} is an object without a name: export its schema`)
  const isRequired = definition.required?.includes(name) ?? false
  const orUndefined = isRequired || type === 'unknown' ? '' : ' | undefined'
  const head = docComment(descriptionOf(field, all), '  ')
  return `${head}  ${name}${isRequired ? '' : '?'}: ${type}${orUndefined}`
}

/** The description of a field, or else that of its type. */
const descriptionOf = (field: JsonSchema | boolean, all: NamedSchemas): string | undefined => {
  if (typeof field === 'boolean') return undefined
  return field.description ?? all.get(field.$ref ?? '')?.definition.description
}

/** The types that an interface extends: those whose fields it all has, as the same schema objects. */
const basesOf = ({ name, schema }: NamedSchema, all: NamedSchemas): NamedSchema[] => {
  if (!(schema instanceof z.ZodObject)) return []
  const own = new Map<string, unknown>(Object.entries(schema.shape))
  const candidates = [...all.values()]
    .map((named) => ({ named, fields: shapeOf(named.schema) }))
    .filter(({ named, fields }) => named.name !== name && fields.length > 1)
    .filter(({ fields }) => fields.length < own.size)
    .sort((left, right) => right.fields.length - left.fields.length)
  return candidates.flatMap(({ named, fields }) => {
    if (!fields.every(([field, type]) => own.get(field) === type)) return []
    for (const [field] of fields) own.delete(field)
    return [named]
  })
}

const shapeOf = (schema: z.ZodType): [field: string, type: unknown][] =>
  schema instanceof z.ZodObject ? Object.entries(schema.shape) : []

const lineWidth = 100

/** A text as a doc comment, followed by a line break; empty without a text. */
const docComment = (text: string | undefined, indent: string): string => {
  if (text === undefined || text === '') return ''
  const line = `${indent}/** ${text} */`
  if (line.length <= lineWidth) return `${line}\n`
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (`${indent} *${last} ${word}`.length > lineWidth) lines.push(` ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  const body = lines.map((each) => `${indent} *${each}`)
  return [`${indent}/**`, ...body, `${indent} */`, ''].join('\n')
}
