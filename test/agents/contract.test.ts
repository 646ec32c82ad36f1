import { describe, expect, test } from 'vitest'
import { knownAgents } from '../../src/agents/known-agents.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { ofType } from '../support/decoded.ts'
import { decodeChunks, recordings } from '../support/recordings.ts'

/** What every agent shows in its recordings, whatever its stream looks like. */
const recorded = knownAgents
  .map(({ name }) => ({
    name,
    own: recordings.filter(({ agent }) => agent === name),
  }))
  .filter(({ own }) => own.length > 0)

const textOf = (content: AgentEvent & { type: 'message_end' }): string =>
  content.message.content
    .flatMap((block) => (block.type === 'text' && 'text' in block ? [String(block.text)] : []))
    .join('')

describe.each(recorded)('$name', ({ name, own }) => {
  const streams = own.map((recording) => decodeChunks(name, [recording.bytes()]))
  const all = streams.flat()

  test('prompt: every run that starts ends, and ends once', () => {
    for (const events of streams) {
      expect(checkOrder(events)).toEqual([])
      expect(ofType(events, 'agent_end')).toHaveLength(ofType(events, 'agent_start').length)
    }
    expect(ofType(all, 'agent_end').some(({ stopReason }) => stopReason === 'stop')).toBe(true)
  })

  test('text: messages have text', () => {
    const texts = ofType(all, 'message_end')
      .filter(({ message }) => message.role === 'assistant')
      .map(textOf)
    expect(texts.some((text) => text !== '')).toBe(true)
  })

  test('tool: calls have a name, and every one has an end and a result', () => {
    const calls = ofType(all, 'tool_call')
    expect(calls.length).toBeGreaterThan(0)
    expect(calls.filter(({ toolName }) => toolName === '')).toEqual([])
    expect(ofType(all, 'tool_execution_end')).toHaveLength(calls.length)
    expect(ofType(all, 'tool_result').length).toBeGreaterThanOrEqual(calls.length)
    expect(ofType(all, 'tool_result').some(({ message }) => message.isError)).toBe(true)
  })

  test('approval: a request is resolved, or its agent is gone', () => {
    const requested = ofType(all, 'approval_request').length
    // A rule of the agent decides without a request.
    const decided = ofType(all, 'approval_resolved').filter(({ outcome }) => outcome !== 'policy')
    expect(decided.length).toBeLessThanOrEqual(requested)
  })

  test('failure: the end of a failed run says why', () => {
    const failed = ofType(all, 'agent_end').filter(({ stopReason }) => stopReason === 'error')
    expect(failed.filter(({ errorMessage }) => !errorMessage)).toEqual([])
  })

  test('death: whatever is open is closed, wherever the stream stops', () => {
    for (const { bytes } of own.slice(0, 12)) {
      const whole = bytes()
      for (let part = 1; part < 8; part += 1) {
        const events = decodeChunks(name, [whole.subarray(0, (whole.length * part) / 8)])
        expect(checkOrder(events)).toEqual([])
        expect(ofType(events, 'message_end')).toHaveLength(ofType(events, 'message_start').length)
      }
    }
  })
})
