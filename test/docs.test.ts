import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { pages } from '../scripts/docs/pages.ts'
import { readRecorded } from '../scripts/docs/recorded.ts'
import { shapes, stopReasons } from '../scripts/docs/shapes.ts'
import { agentEvent, connectionEvent, envelope } from '../src/events/index.ts'

const root = new URL('../', import.meta.url)
const recorded = await readRecorded(fileURLToPath(new URL('recordings', root)))
const read = (file: string) => readFileSync(new URL(file, root), 'utf8')
const page = read('docs/events.md')

const types = [...agentEvent.options, ...connectionEvent.options].map(
  (option) => option.shape.type.value,
)
const connectionTypes = new Set<string>(
  connectionEvent.options.map((option) => option.shape.type.value),
)

test.each([...pages(recorded)])('%s is up to date', (file, text) => {
  expect(read(file) === text, `${file} is out of date: run npm run docs`).toBe(true)
})

test.each(['events', 'api', 'log'])('the types of %s do not load Zod', (room) => {
  expect(read(`src/${room}/types.ts`)).not.toContain('zod')
})

test('the page has a section for every event, with one valid example', () => {
  for (const type of types) {
    const examples = fencesOf(sectionOf(type))
    expect(examples, type).toHaveLength(1)
    expect(examples[0]).toMatchObject({ type })
    expect(() => parseEvent(examples[0]), type).not.toThrow()
  }
})

test('only events have fenced examples', () => {
  expect(fencesOf(page)).toHaveLength(types.length)
})

test.each(['assistantMessageEvent', 'block'] as const)(
  'each variant of %s has a valid example',
  (name) => {
    const rows = sectionOf(name)
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2)
    const schema = shapes[name]
    expect(rows).toHaveLength(schema.options.length)
    for (const row of rows) {
      const example = row.match(/`(\{.*\})` \|$/)?.[1] ?? ''
      expect(() => schema.parse(JSON.parse(example.replaceAll('\\|', '|'))), row).not.toThrow()
    }
  },
)

test('every link on the page has a heading', () => {
  const headings = new Set([...page.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => slug(text)))
  const targets = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, target = '']) => target)
  expect(targets.filter((target) => !headings.has(target))).toEqual([])
})

test('every stop reason of the recordings is described', () => {
  const seen = new Set(
    recorded
      .flatMap(({ events }) => events)
      .map((event) => ('stopReason' in event ? event.stopReason : undefined)),
  )
  seen.delete(undefined)
  expect(Object.keys(stopReasons)).toEqual(expect.arrayContaining([...seen]))
})

test('the JSON Schema accepts every event of the recordings and every example', () => {
  const schema = schemaOf(JSON.parse(read('schema/events.json')))
  const problems = recorded.flatMap(({ name, events }) =>
    events
      .map((event): unknown => JSON.parse(JSON.stringify(event)))
      .filter((event) => !schema.safeParse(event).success)
      .map((event) => `${name}: ${JSON.stringify(event).slice(0, 200)}`),
  )
  expect(problems).toEqual([])
  expect(fencesOf(page).filter((example) => !schema.safeParse(example).success)).toEqual([])
})

test('the JSON Schema rejects invalid events', () => {
  const schema = schemaOf(JSON.parse(read('schema/events.json')))
  const start = { type: 'agent_start', sessionId: 's1', seq: 1, timestamp: 0 }
  expect(schema.safeParse(start).success).toBe(true)
  const { seq, ...unstamped } = start
  const wrong = [
    unstamped,
    { ...start, seq: seq - 1 },
    { ...start, extra: 1 },
    { ...start, type: 'x' },
  ]
  expect(wrong.filter((event) => schema.safeParse(event).success)).toEqual([])
})

/** The text below a heading of the third level. */
const sectionOf = (name: string): string => {
  const [, rest] = page.split(`\n### ${name}\n`)
  if (rest === undefined) throw new Error(`docs/events.md has no section ${name}`)
  return rest.split(/\n##+ /)[0] ?? ''
}

const fencesOf = (text: string): unknown[] =>
  [...text.matchAll(/```json\n(.*?)\n```/gs)].map(([, json = '']): unknown => JSON.parse(json))

const parseEvent = (example: unknown) => {
  const { sessionId, seq, timestamp, ...event } = z.looseObject({ type: z.string() }).parse(example)
  if (connectionTypes.has(event.type)) return connectionEvent.parse(example)
  return { ...agentEvent.parse(event), ...envelope.parse({ sessionId, seq, timestamp }) }
}

const slug = (heading: string) => heading.toLowerCase().replaceAll(' ', '-')

/** Zod reads JSON Schema, but not the keyword `not`, so that is removed. */
const schemaOf = (json: z.core.JSONSchema.JSONSchema): z.ZodType => {
  const supported: z.core.JSONSchema.JSONSchema = JSON.parse(JSON.stringify(json), (key, value) =>
    key === 'not' ? undefined : value,
  )
  return z.fromJSONSchema(supported)
}
