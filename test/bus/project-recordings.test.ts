import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isBusMessage, schemaError } from '../../src/bus/check.ts'
import { ofType } from '../support/decoded.ts'
import { recordings } from '../support/recordings.ts'
import { eventsOf, namespaceOf, on, project } from './recorded.ts'

describe.each([...recordings])('$name on the bus', (from) => {
  const events = eventsOf(from)
  const messages = project(from, events)

  test('every message matches its schema, in its namespace and for its session', () => {
    const wrong = messages.filter((message) => !isBusMessage(message))
    expect(
      wrong.map(({ subject, payload }) => schemaError(subject, 'payload', payload).message),
    ).toEqual([])
    for (const { subject, payload } of messages) {
      expect(subject.startsWith(`${namespaceOf(from.agent)}.`)).toBe(true)
      expect(payload.sessionId).toBe(from.name)
    }
  })

  test('every event is projected once', () => {
    const count = (name: string) => on(messages, name).length
    const main = events.filter(({ parentToolCallId }) => parentToolCallId === undefined)
    expect(count('agent_started')).toBe(ofType(events, 'agent_start').length)
    expect(count('agent_complete')).toBe(ofType(events, 'agent_end').length)
    expect(count('message_complete')).toBe(
      ofType(main, 'message_end').length + ofType(main, 'tool_result').length,
    )
    expect(count('usage')).toBe(
      ofType(events, 'message_end').filter(({ message }) => message.usage).length,
    )
    expect(on(messages, 'tool_started').map(({ payload }) => payload.toolCallId)).toEqual(
      ofType(events, 'tool_execution_start').map(({ toolCallId }) => toolCallId),
    )
    expect(on(messages, 'tool_completed').map(({ payload }) => payload.toolCallId)).toEqual(
      ofType(events, 'tool_execution_end').map(({ toolCallId }) => toolCallId),
    )
    expect(count('auto_retry_started')).toBe(ofType(events, 'auto_retry_start').length)
    expect(count('auto_retry_ended')).toBe(ofType(events, 'auto_retry_end').length)
    expect(count('compaction_started')).toBe(ofType(events, 'compaction_start').length)
    expect(count('compaction_ended')).toBe(ofType(events, 'compaction_end').length)
    expect(count('queue_update')).toBe(ofType(events, 'queue_update').length)
    expect(count('error')).toBe(
      ofType(events, 'error').length +
        ofType(events, 'agent_end').filter(({ stopReason }) => stopReason === 'error').length,
    )
  })

  test('a complete text is the sum of its deltas', () => {
    const deltas = [...on(messages, 'text_delta'), ...on(messages, 'thinking_delta')]
    const whole = [...on(messages, 'text_complete'), ...on(messages, 'thinking_complete')]
    const blocks = new Map<string, string>()
    for (const { payload } of deltas) {
      const block = blockOf(payload)
      blocks.set(block, (blocks.get(block) ?? '') + payload.delta)
    }
    for (const { payload } of whole) expect(payload.text).toBe(blocks.get(blockOf(payload)) ?? '')
    const ended = new Set(whole.map(({ payload }) => blockOf(payload)))
    expect([...blocks.keys()].filter((block) => !ended.has(block))).toEqual([])
  })

  test('a run ends with its messages, each result after its call', () => {
    for (const { payload } of on(messages, 'agent_complete')) {
      const projected = payload.messages.map((each) => anyMessage.parse(each))
      const called = new Set<string>()
      for (const { role, content, toolCallId = '' } of projected) {
        if (role === 'toolResult') expect(called).toContain(toolCallId)
        for (const { type, id = '' } of content) if (type === 'toolCall') called.add(id)
      }
      const answers = projected.flatMap(({ role, content }) =>
        role === 'assistant' ? [content] : [],
      )
      expect(payload.text).toBe(answers.map(textOf).findLast((text) => text !== ''))
    }
  })
})

const anyMessage = z.object({
  role: z.string(),
  content: z.array(
    z.object({ type: z.string(), id: z.string().optional(), text: z.string().optional() }),
  ),
  toolCallId: z.string().optional(),
})

const textOf = (content: z.infer<typeof anyMessage>['content']) =>
  content.map(({ type, text = '' }) => (type === 'text' ? text : '')).join('')

const blockOf = (at: { messageId?: string | undefined; contentIndex?: number | undefined }) =>
  `${at.messageId} ${at.contentIndex}`
