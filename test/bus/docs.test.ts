import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { typeText } from '../../scripts/docs/type-text.ts'
import { fieldsOf } from '../../scripts/docs-bus/fields.ts'
import { namespacePages } from '../../scripts/docs-bus/namespaces.ts'
import { busPages } from '../../scripts/docs-bus/page.ts'
import * as bus from '../../src/bus/index.ts'

const root = new URL('../../', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, root), 'utf8')

test.each([...busPages()])('%s is up to date', (file, text) => {
  expect(read(file) === text, `${file} is stale: run npm run docs:bus`).toBe(true)
})

test('every namespace has a page, and there are no others', () => {
  expect(
    readdirSync(new URL('docs/bus', root))
      .map((file) => `docs/bus/${file}`)
      .sort(),
  ).toEqual([...busPages().keys()].sort())
  expect(namespacePages.map(({ prefix }) => prefix)).toEqual([...bus.namespaces.keys()])
})

test.each(namespacePages)('the page of $prefix names its constants', (page) => {
  const subjects = Object.keys(page.schemas).map((name) => [name, `${page.prefix}.${name}`])
  expect(Reflect.get(bus, page.namespaceConstant)).toBe(page.prefix)
  expect(Reflect.get(bus, page.subjectsConstant)).toEqual(Object.fromEntries(subjects))
  expect(Reflect.get(bus, page.schemaRecord)).toBe(page.schemas)
})

test.each([...busPages()])('every link of %s has a target', (_, text) => {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[:.()]/g, '')
      .replaceAll(' ', '-'),
  )
  const targets = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, target = '']) => target)
  expect(targets.length).toBeGreaterThan(0)
  expect(targets.filter((target) => !headings.includes(target))).toEqual([])
})

describe('types are written as TypeScript writes them', () => {
  const text = (schema: z.ZodType) => typeText(z.toJSONSchema(schema))

  test.each([
    [z.string(), 'string'],
    [z.int(), 'number'],
    [z.unknown(), 'unknown'],
    [z.literal('a'), '"a"'],
    [z.enum(['a', 'b']), '"a" | "b"'],
    [z.string().nullable(), 'string | null'],
    [z.array(z.unknown()), 'unknown[]'],
    [z.array(z.enum(['a', 'b'])), '("a" | "b")[]'],
    [z.record(z.string(), z.number()), 'Record<string, number>'],
    [z.object({ a: z.string(), b: z.number().optional() }), '{ a: string; b?: number }'],
  ])('%#', (schema, expected) => {
    expect(text(schema)).toBe(expected)
  })

  test('a union shows the fields of all its branches', () => {
    const schema = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), both: z.string(), only: z.number() }),
      z.object({ kind: z.literal('b'), both: z.string().optional().describe('Why.') }),
    ])
    expect(fieldsOf(z.toJSONSchema(schema))).toEqual([
      { name: 'kind', type: '"a" | "b"', isRequired: true, meaning: '' },
      { name: 'both', type: 'string', isRequired: false, meaning: 'Why.' },
      { name: 'only', type: 'number', isRequired: false, meaning: '' },
    ])
  })
})
