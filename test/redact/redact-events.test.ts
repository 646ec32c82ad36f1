import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agentEvent } from '../../src/events/event.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { createEventRedactor, type EventRedactorOptions } from '../../src/redact/redact-events.ts'
import { decodeChunks, recordings } from '../support/recordings.ts'

const key = `sk-ant-api03-${'aB3dE5fG7hJ9kL1mN2'.repeat(4)}`

const redactAll = (events: readonly AgentEvent[], options: EventRedactorOptions = {}): object[] => {
  const redactor = createEventRedactor(options)
  for (const event of events) redactor.inspect(event)
  return events.map((event) => redactor.redact(event))
}

/** Cuts a text into pieces at random places. */
const pieces = (text: string) =>
  fc
    .array(fc.nat(text.length), { maxLength: 12 })
    .map((cuts) => [0, ...cuts.sort((a, b) => a - b), text.length])
    .map((cuts) => cuts.slice(1).map((cut, index) => text.slice(cuts[index], cut)))

const update = (assistantMessageEvent: object): AgentEvent =>
  agentEvent.parse({ type: 'message_update', messageId: 'm1', assistantMessageEvent })

const joined = (events: readonly object[], field: string): string =>
  events
    .map((event) => JSON.parse(JSON.stringify(event)))
    .map(
      (event) => event[field] ?? event.assistantMessageEvent?.[field] ?? event.shell?.[field] ?? '',
    )
    .join('')

test('a key that is split over text deltas does not leak', () => {
  const text = `The key is ${key}, mail ann@example.com, path /home/ann/x.`
  fc.assert(
    fc.property(pieces(text), (deltas) => {
      const events = deltas.map((delta) => update({ type: 'text_delta', contentIndex: 0, delta }))
      expect(joined(redactAll(events), 'delta')).toBe(
        'The key is [redacted-key], mail [redacted-email], path ~/x.',
      )
    }),
    { numRuns: 200 },
  )
})

test('two texts that stream at once are kept apart', () => {
  const events = ['sk-ant-api03-aaaa', 'bbbbbbbbbbbbbbbbbbbb'].flatMap((delta) => [
    update({ type: 'text_delta', contentIndex: 0, delta }),
    update({ type: 'thinking_delta', contentIndex: 1, delta: 'word ' }),
  ])
  expect(redactAll(events).map((event) => joined([event], 'delta'))).toEqual([
    ...['[redacted-key]', 'word ', '', 'word '],
  ])
})

test('arguments of a tool that stream as JSON stay JSON', () => {
  const input = { command: `export TOKEN="${key}"\necho "a\\b"`, env: { password: 'hunter2"\\' } }
  fc.assert(
    fc.property(pieces(JSON.stringify(input)), (parts) => {
      const events = parts.map((partialInput) =>
        update({ type: 'tool_use_input_delta', contentIndex: 0, toolCallId: 't', partialInput }),
      )
      expect(JSON.parse(joined(redactAll(events), 'partialInput'))).toEqual({
        command: 'export TOKEN="[redacted-secret]"\necho "a\\b"',
        env: { password: '[redacted-secret]' },
      })
    }),
    { numRuns: 100 },
  )
})

test('output of a tool is searched over all its updates, however long it is', () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} of the output\n`)
  for (const at of [5, 9_000, 13_107, 19_999])
    lines[at] = `export DEPLOY_TOKEN=hunter-two # ${at}\n`
  const text = lines.join('')
  const events = text.match(/[\s\S]{1,97}/g)?.map((outputDelta) =>
    agentEvent.parse({
      ...{ type: 'tool_execution_update', toolCallId: 't', toolName: 'bash' },
      outputDelta,
    }),
  )
  const output = joined(redactAll(events ?? []), 'outputDelta')
  expect(output).toBe(text.replaceAll('hunter-two', '[redacted-secret]'))
})

test('a shell command of a person is redacted as a stream, and the rest of its event', () => {
  const shell = (outputDelta: string): AgentEvent => ({
    ...{ type: 'session_update', cwd: '/home/ann/shop', shell: { id: 's', outputDelta } },
  })
  const events = redactAll([shell('mail ann@exam'), shell('ple.com now')])
  expect(joined(events, 'outputDelta')).toBe('mail [redacted-email] now')
  expect(joined(events, 'cwd')).toBe('~/shop~/shop')
})

test('fields are redacted by their names, images are replaced, and ids stay', () => {
  const event: AgentEvent = {
    type: 'message_end',
    messageId: 'ann@example.com',
    message: {
      role: 'user',
      content: [
        { type: 'text', text: `use ${key}` },
        { type: 'image', data: 'aGVsbG8=', mimeType: 'image/jpeg' },
        { type: 'toolCall', id: 't1', name: 'x', arguments: { apiKey: 'abcd', '/home/ann': 1 } },
      ],
    },
  }
  const [redacted] = redactAll([event])
  expect(agentEvent.parse(redacted)).toMatchObject({
    messageId: 'ann@example.com',
    message: {
      content: [
        { text: 'use [redacted-key]' },
        { type: 'image', mimeType: 'image/png' },
        { arguments: { apiKey: '[redacted-secret]', '~': 1 } },
      ],
    },
  })
  expect(redactAll([event], { keepImages: true })).toMatchObject([
    { message: { content: [{}, { data: 'aGVsbG8=' }, {}] } },
  ])
})

test('an id or a type in the arguments or the result of a tool can be a secret', () => {
  const call = { toolCallId: 't', toolName: 'vault' }
  const input = { id: key, type: key, content: [{ type: 'text', id: 'call_1' }] }
  const events = [
    agentEvent.parse({ type: 'tool_call', ...call, input }),
    agentEvent.parse({ type: 'tool_execution_end', ...call, result: { rows: [input] } }),
    update({
      ...{ type: 'tool_use_input_delta', contentIndex: 0, toolCallId: 't' },
      partialInput: JSON.stringify(input),
    }),
  ]
  const text = JSON.stringify(redactAll(events, { words: ['text'] }))
  expect(text).not.toContain(key)
  expect(text).toContain('"type":"text","id":"call_1"')
})

test('the preview of a blob is taken from the redacted blob: it can end inside a key', () => {
  const hash = 'a'.repeat(64)
  const ref = { hash: 'b'.repeat(64), size: 5, mimeType: 'text/plain' }
  const blob = (old: string) => (old === hash ? { ref, preview: 'clean' } : undefined)
  const event: AgentEvent = {
    ...{ type: 'tool_execution_end', toolCallId: 't', toolName: 'bash' },
    result: { content: [{ type: 'text', text: key.slice(0, 12), blob: { hash, size: 9 } }] },
  }
  expect(redactAll([event], { blob })).toEqual([
    { ...event, result: { content: [{ type: 'text', text: 'clean', blob: ref }] } },
  ])
})

test('what stands beside an image is redacted, too', () => {
  const ref = { hash: 'a'.repeat(64), size: 1, mimeType: 'image/png' }
  const event = agentEvent.parse({
    ...{ type: 'tool_execution_end', toolCallId: 't', toolName: 'shot' },
    result: { content: [{ type: 'image', data: '', mimeType: 'image/png', alt: key, blob: ref }] },
  })
  const [redacted] = redactAll([event], { blob: () => ({ ref, preview: '' }) })
  expect(redacted).toMatchObject({
    result: {
      content: [{ type: 'image', mimeType: 'image/png', alt: '[redacted-key]', blob: ref }],
    },
  })
})

test('the hash of an approval request goes: it would confirm a guess', () => {
  const [redacted] = redactAll([
    { type: 'approval_request', approvalId: 'a', kind: 'tool', hash: 'c'.repeat(64) },
  ])
  expect(redacted).toEqual({ type: 'approval_request', approvalId: 'a', kind: 'tool' })
})

test.each(recordings.map((each) => [each.name, each] as const))(
  '%s: redacted events are valid',
  (_, { agent, bytes }) => {
    for (const event of redactAll(decodeChunks(agent, [bytes()]))) {
      const result = agentEvent.safeParse(event)
      expect(result.error).toBeUndefined()
      expect(JSON.stringify(event)).not.toMatch(/\/home\/(?!linuxbrew)\w|\/Users\/(?!Shared)\w/)
    }
  },
)
