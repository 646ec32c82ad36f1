import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agentEvent } from '../../../src/events/event.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { extractBlobs } from '../../../src/log/index.ts'
import { restore } from '../restore.ts'

const call = { toolCallId: 't1', toolName: 'bash' }

const largeText = fc
  .tuple(fc.string({ unit: 'binary', minLength: 1 }), fc.nat(60_000))
  .map(([text, times]) => text.repeat(Math.min(times, Math.ceil(600_000 / text.length))))
const text = fc.oneof(fc.string(), largeText)
const textBlock = fc.record({ type: fc.constant('text' as const), text })
const imageBlock = fc
  .oneof(fc.uint8Array({ minLength: 1, maxLength: 500 }), fc.constant(new Uint8Array(300_000)))
  .map((bytes) => Buffer.from(bytes).toString('base64'))
  .map((data) => ({ type: 'image' as const, data, mimeType: 'image/png' }))
const unknownBlock = fc.record({ type: fc.constantFrom('document', 'other'), body: text })
const content = fc.array(fc.oneof(textBlock, imageBlock, unknownBlock), { maxLength: 6 })
const value = fc.oneof(text, fc.dictionary(fc.string({ maxLength: 5 }), text), content)

const event = fc
  .oneof(
    text.map((outputDelta): AgentEvent => {
      return { type: 'tool_execution_update', ...call, outputDelta }
    }),
    value.map((result): AgentEvent => ({ type: 'tool_execution_end', ...call, result })),
    value.map((input): AgentEvent => ({ type: 'tool_call', ...call, input })),
    value.map((line): AgentEvent => ({ type: 'raw', agent: 'pi', line })),
    fc.record({ content, details: value }).map((result): AgentEvent => {
      const message = { role: 'toolResult' as const, ...call, ...result, isError: false }
      return { type: 'tool_result', message }
    }),
  )
  .map((made) => structuredClone(made)) // plain objects, as a decoder makes them

test('an event can be restored from its preview and its blobs, whatever was extracted', () => {
  let extractions = 0
  fc.assert(
    fc.property(event, (each) => {
      const result = extractBlobs(each)
      if (result.blobs.length === 0) expect(result.event).toBe(each)
      else extractions += 1
      expect(agentEvent.safeParse(result.event).error).toBeUndefined()
      expect(isDeepStrictEqual(restore(result), each)).toBe(true)
    }),
    { numRuns: 150 },
  )
  expect(extractions).toBeGreaterThan(20)
})
