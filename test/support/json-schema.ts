import { type Fields, fieldsOf, isFields, listOf, stringOf } from '../../src/shared/fields.ts'

/** Where a value breaks a JSON schema, with the reason; empty if it does not. */
export type SchemaCheck = (value: unknown, definition: string) => string[]

/** A validator of the definitions in a JSON schema, for the words that schemas of protocols use. */
export const schemaCheck = (root: Fields): SchemaCheck => {
  const definitions = fieldsOf(root.$defs)

  const check = (value: unknown, schema: unknown, at: string): string[] => {
    if (schema === true || !isFields(schema)) return []
    return [
      ...refProblems(value, schema, at),
      ...typeProblems(value, schema, at),
      ...groupProblems(value, schema, at),
      ...fieldProblems(value, schema, at),
      ...(Array.isArray(value)
        ? value.flatMap((item, index) => check(item, schema.items ?? true, `${at}[${index}]`))
        : []),
    ]
  }

  const refProblems = (value: unknown, { $ref }: Fields, at: string): string[] => {
    const name = stringOf($ref)?.replace('#/$defs/', '')
    if (name === undefined) return []
    if (!Object.hasOwn(definitions, name)) throw new Error(`The schema has no ${name}.`)
    return check(value, definitions[name], at)
  }

  const groupProblems = (value: unknown, schema: Fields, at: string): string[] => {
    const fits = (each: unknown) => check(value, each, at).length === 0
    const { anyOf, oneOf, allOf, not } = schema
    return [
      ...listOf(allOf).flatMap((each) => check(value, each, at)),
      ...(Array.isArray(anyOf) && !anyOf.some(fits) ? [`${at}: fits none of its forms`] : []),
      ...(Array.isArray(oneOf) && oneOf.filter(fits).length !== 1 ? [`${at}: not one form`] : []),
      ...(not !== undefined && fits(not) ? [`${at}: has a form that it must not have`] : []),
    ]
  }

  const fieldProblems = (value: unknown, schema: Fields, at: string): string[] => {
    if (!isFields(value)) return []
    const properties = fieldsOf(schema.properties)
    const missing = listOf(schema.required)
      .filter((name) => typeof name === 'string' && !Object.hasOwn(value, name))
      .map((name) => `${at}: has no ${name}`)
    const wrong = Object.entries(value).flatMap(([name, item]) =>
      check(
        item,
        Object.hasOwn(properties, name) ? properties[name] : (schema.additionalProperties ?? true),
        `${at}.${name}`,
      ),
    )
    return [...missing, ...wrong]
  }

  return (value, definition) =>
    check(value, { $ref: `#/$defs/${definition}` }, definition).slice(0, 5)
}

const typeProblems = (value: unknown, schema: Fields, at: string): string[] => {
  const types = typeof schema.type === 'string' ? [schema.type] : listOf(schema.type)
  const isKind = types.length === 0 || types.some((type) => kindsOf(value).includes(String(type)))
  const { minimum } = schema
  return [
    ...(isKind ? [] : [`${at}: is no ${types.join(' or ')}`]),
    ...('const' in schema && schema.const !== value ? [`${at}: is not ${schema.const}`] : []),
    ...(Array.isArray(schema.enum) && !schema.enum.includes(value) ? [`${at}: is no choice`] : []),
    ...(typeof value === 'number' && typeof minimum === 'number' && value < minimum
      ? [`${at}: is too small`]
      : []),
  ]
}

const kindsOf = (value: unknown): string[] => {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number']
  return [typeof value]
}
