import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStream } from '../../src/agents/stream.ts'
import { text } from '../../src/agents/text/index.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { ofType } from '../support/decoded.ts'
import { cutAt } from '../support/recordings.ts'

type Exit = Parameters<ReturnType<typeof createStream>['end']>[0]

const read = (chunks: Iterable<Uint8Array>, exit?: Exit): AgentEvent[] => {
  const stream = createStream(text)
  return [...[...chunks].flatMap((chunk) => stream.push(chunk)), ...stream.end(exit)]
}

const textsOf = (events: readonly AgentEvent[]): string[] =>
  ofType(events, 'message_end').map(({ message }) =>
    message.content.map((block) => ('text' in block ? String(block.text) : '')).join(''),
  )

test('text without a line feed at the end becomes one message', () => {
  const events = read([Buffer.from('one\ntwo')], { code: 0, signal: null })
  expect(textsOf(events)).toEqual(['one\ntwo'])
  expect(events.at(-1)).toEqual({ type: 'agent_end', stopReason: 'stop' })
  expect(checkOrder(events)).toEqual([])
})

test('bytes that are no UTF-8 become replacement characters', () => {
  expect(textsOf(read([Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82])]))).toEqual([
    'a\ufffd\ufffd(\ufffd',
  ])
})

test('a program that prints nothing has a run, too', () => {
  const types = read([], { code: 0, signal: null }).map(({ type }) => type)
  expect(types).toEqual(['session_start', 'agent_start', 'turn_start', 'turn_end', 'agent_end'])
})

test('the exit code is the end of the run', () => {
  const failed = read([Buffer.from('x')], { code: 3, signal: null })
  expect(failed.at(-1)).toMatchObject({
    stopReason: 'error',
    errorMessage: expect.stringContaining('code 3'),
  })
  const killed = read([Buffer.from('x')], { code: null, signal: 'SIGKILL' })
  expect(killed.at(-1)).toMatchObject({
    stopReason: 'interrupted',
    errorMessage: expect.stringContaining('SIGKILL'),
  })
})

test('huge output is cut into messages, with or without line feeds', () => {
  for (const unit of ['x', 'line of text\n', '😀']) {
    const whole = unit.repeat(Math.ceil(1_000_000 / unit.length))
    const texts = textsOf(read([Buffer.from(whole)]))
    expect(texts.join('')).toBe(whole)
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024)
  }
})

test('the messages do not depend on the chunks', () => {
  const whole = Buffer.from(
    `${'é'.repeat(40_000)}😀\u2028\n${'ab\n'.repeat(40_000)}${'😀'.repeat(40_000)}`,
  )
  const expected = textsOf(read([whole]))
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length), { maxLength: 40 }), (cuts) => {
      expect(textsOf(read(cutAt(whole, cuts)))).toEqual(expected)
    }),
    { numRuns: 20 },
  )
})
