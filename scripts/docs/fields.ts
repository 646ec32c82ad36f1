import { code, link, table } from './markdown.ts'
import type { JsonSchema } from './schema.ts'

type Schema = JsonSchema | boolean

const none: ReadonlySet<string> = new Set()

/** The fields of an object as a table; undefined if there are none to show. */
export const fieldTable = (schema: JsonSchema, hidden = none): string | undefined => {
  const rows = rowsOf(schema, hidden, '')
  return rows.length === 0 ? undefined : table(['Field', 'Type', 'Required', 'Meaning'], rows)
}

/** The fields of an object in one line, for a table of variants. */
export const fieldList = (schema: JsonSchema, hidden = none): string =>
  Object.entries(schema.properties ?? {})
    .filter(([name]) => !hidden.has(name))
    .map(
      ([name, field]) => `${code(isRequired(schema, name) ? name : `${name}?`)} ${typeText(field)}`,
    )
    .join('; ')

/** A type in words, with links to named shapes. */
export const typeText = (schema: Schema): string => {
  if (typeof schema === 'boolean') return 'anything'
  if (schema.$ref !== undefined) return link(schema.$ref.replace(/^#\/\$defs\//, ''))
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum) return choice(schema.enum.map((value) => code(JSON.stringify(value))))
  const branches = schema.anyOf ?? schema.oneOf
  if (branches) return choice(branches.map(typeText))
  if (schema.type === 'array') return `array of ${typeText(itemsOf(schema))}`
  if (schema.type === 'object') return objectText(schema)
  return schema.type === undefined ? 'anything' : choice([schema.type].flat())
}

const rowsOf = (schema: JsonSchema, hidden: ReadonlySet<string>, prefix: string): string[][] =>
  Object.entries(schema.properties ?? {})
    .filter(([name]) => !hidden.has(prefix + name))
    .flatMap(([name, field]) => [
      [
        code(prefix + name),
        typeText(field),
        isRequired(schema, name) ? 'yes' : 'no',
        (typeof field === 'object' && field.description) || '',
      ],
      ...(typeof field === 'object' ? rowsOf(field, hidden, `${prefix}${name}.`) : []),
    ])

const isRequired = (schema: JsonSchema, name: string) => schema.required?.includes(name) ?? false

const objectText = ({ additionalProperties }: JsonSchema): string =>
  typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
    ? `map of ${typeText(additionalProperties)}`
    : 'object'

const itemsOf = ({ items }: JsonSchema): Schema => (Array.isArray(items) ? true : (items ?? true))

const choice = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
