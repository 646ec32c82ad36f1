import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Fields, fieldsOf, isFields, listOf, stringOf } from '../../src/shared/fields.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const parse = (text: string): unknown => JSON.parse(text)
const definitions = fieldsOf(fieldsOf(parse(read('schema/events.json'))).$defs)

/** Every payload that the SSE document shows, one per line. */
const examples = read('test/fixtures/sse/events.ndjson')
  .trimEnd()
  .split('\n')
  .map((line) => fieldsOf(parse(line)))

test.each(examples)('%o has only fields that our events have, under the same names', (example) => {
  const type = stringOf(example.type) ?? ''
  expect(definitions).toHaveProperty(type)
  expect(missingIn(fieldsOf(definitions[type]), example, type)).toEqual([])
})

/** The paths of a value that a schema does not have. Values of unknown shape are not compared. */
const missingIn = (schema: Fields, value: unknown, path: string): string[] => {
  const resolved = resolve(schema)
  const variants = [...listOf(resolved.oneOf), ...listOf(resolved.anyOf)].map(fieldsOf)
  if (variants.length > 0)
    return variants
      .map((each) => missingIn(each, value, path))
      .reduce((best, each) => (each.length < best.length ? each : best))
  if (Array.isArray(value))
    return value.flatMap((each, at) => missingIn(fieldsOf(resolved.items), each, `${path}[${at}]`))
  if ('const' in resolved && resolved.const !== value) return [path]
  if (!isFields(value) || resolved.properties === undefined) return []
  const properties = fieldsOf(resolved.properties)
  return Object.entries(value).flatMap(([name, each]) =>
    Object.hasOwn(properties, name)
      ? missingIn(fieldsOf(properties[name]), each, `${path}.${name}`)
      : [`${path}.${name}`],
  )
}

const resolve = (schema: Fields): Fields => {
  const name = stringOf(schema.$ref)?.split('/').at(-1)
  return name === undefined ? schema : resolve(fieldsOf(definitions[name]))
}
