import { expect, test } from 'vitest'
import type { Decoder } from '../../src/agents/agent.ts'
import { createAnyFormatDecoder, type KnownFormat } from '../../src/agents/any-format.ts'
import { isFields } from '../../src/shared/fields.ts'

/** A format whose lines have a field of its name, and whose events name the format. */
const format = (name: string): KnownFormat => ({
  recognises: (line) => isFields(line) && name in line,
  createDecoder: (): Decoder => ({
    push: (line) => [{ type: 'raw', agent: name, line }],
    end: () => [{ type: 'raw', agent: name, line: 'end' }],
  }),
})
const decoder = () => createAnyFormatDecoder([format('a'), format('b')])
const raw = (agent: string, line: unknown) => ({ type: 'raw', agent, line })

test('the first line that a format recognises decides, for the lines before it too', () => {
  const { push, end } = decoder()
  expect(push({ x: 1 })).toEqual([])
  expect(push({ b: 1 })).toEqual([raw('b', { x: 1 }), raw('b', { b: 1 })])
  expect(push({ a: 1 })).toEqual([raw('b', { a: 1 })])
  expect(end()).toEqual([raw('b', 'end')])
})

test('the first format reads a stream that none recognises', () => {
  const { push, end } = decoder()
  push({ x: 1 })
  expect(end()).toEqual([raw('a', { x: 1 }), raw('a', 'end')])
  const long = decoder()
  const events = Array.from({ length: 200 }, (_, n) => long.push(n)).flat()
  expect(events).toHaveLength(200)
})
