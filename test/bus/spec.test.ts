import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Described, readHead, readSubjects } from './spec/tables.ts'

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')
const spec = readSubjects(read('spec/pi-sdk-bus.md'))
const page = readSubjects(read('../../docs/bus/adapter-piSdk.md'))
const twin = readSubjects(read('../../docs/bus/adapter-claudeCli.md'))

const nothing: Described = { type: '', tables: [] }

test('the whole specification is read', () => {
  expect(spec.size).toBe(23)
  const rows = [...spec.values()].flatMap(({ tables }) => tables.flat())
  const inDocument = read('spec/pi-sdk-bus.md').match(/ \| (?:yes|no) \|$/gm)
  expect(rows).toHaveLength(inDocument?.length ?? 0)
  expect(spec.get('adapter:piSdk.tool_approval')?.tables.map((table) => table.length)).toEqual([
    14, 1,
  ])
})

test('the namespace matches the specification', () => {
  const head = readHead(read('spec/pi-sdk-bus.md'))
  expect(head).toHaveLength(9)
  // The package and its files are our own.
  const own = (row: string) => row.replace(/^(\| (?:Package|Defined in) \|).*/, '$1')
  expect(readHead(read('../../docs/bus/adapter-piSdk.md')).map(own)).toEqual(head.map(own))
})

test('the page has exactly the subjects of the specification', () => {
  expect([...page.keys()].sort()).toEqual([...spec.keys()].sort())
})

test.each([...spec])(
  '%s matches the specification; our own fields come after',
  (subject, specified) => {
    const written = page.get(subject) ?? nothing
    expect(written.type).toBe(specified.type)
    expect(written.tables).toHaveLength(specified.tables.length)
    specified.tables.forEach((rows, at) => {
      expect(written.tables[at]?.slice(0, rows.length)).toEqual(rows)
    })
  },
)

test('our own fields are optional, so that every specified message is valid', () => {
  const own = [...page].flatMap(([subject, { tables }]) =>
    tables.flatMap((rows, at) => rows.slice(spec.get(subject)?.tables[at]?.length ?? 0)),
  )
  expect(own.length).toBeGreaterThan(0)
  expect(own.filter(({ required }) => required === 'yes')).toEqual([])
})

test('the namespace of Claude Code has the same subjects and fields', () => {
  const renamed = [...page].map(([subject, described]) => [
    subject.replace('adapter:piSdk', 'adapter:claudeCli'),
    described,
  ])
  expect([...twin]).toEqual(renamed)
})
