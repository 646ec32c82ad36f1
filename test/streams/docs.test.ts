import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { overviewEvent, overviewEvents } from '../../src/api/overview.ts'

const page = readFileSync(new URL('../../docs/streams.md', import.meta.url), 'utf8')

test('docs/streams.md names every event of the overview, and its examples are valid', () => {
  for (const { shape } of overviewEvents)
    expect(page).toMatch(new RegExp(`["\`]${shape.type.value}["\`]`))
  const examples = [...page.matchAll(/```json\n(.*?)\n```/gs)].map(([, json = '']) => json)
  expect(examples).toHaveLength(2)
  for (const example of examples) overviewEvent.parse(JSON.parse(example))
})
