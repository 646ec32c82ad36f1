import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  type BusMessage,
  type ClaudeCliSubjects,
  definitions,
  type MessageFor,
  type PayloadOf,
  type PiSdkNamespace,
  PiSdkSubjects,
  piSdkSchemas,
  type RequestOf,
  type ResponseOf,
  sessionSchemas,
  stampedEvent,
  stampedShape,
} from '../../src/bus/index.ts'
import type { EventOf, StampedEvent } from '../../src/events/index.ts'

describe('the table of subjects', () => {
  test('every subject has a description', () => {
    const undescribed = [...definitions].filter(
      ([, { description }]) => !/^\w.*\.$/s.test(description),
    )
    expect(undescribed).toEqual([])
  })

  test('an eventType is the name of its subject', () => {
    const named = Object.entries(piSdkSchemas).flatMap(([name, definition]) => {
      if (definition.kind !== 'event') return []
      const shape: Record<string, unknown> = definition.payload.shape
      return shape.eventType instanceof z.ZodLiteral ? [[name, shape.eventType.value]] : []
    })
    expect(named).toHaveLength(16)
    for (const [name, eventType] of named) expect(eventType).toBe(name)
  })

  test('a payload may have unknown fields of a later version', () => {
    const { payload } = piSdkSchemas.text_delta
    const later = { eventType: 'text_delta', delta: 'x', mood: 'calm' }
    expect(payload.safeParse(later).success).toBe(true)
  })

  test('the check of events by hand agrees with the schema', () => {
    const odd = fc.oneof(
      fc.constantFrom<unknown>(
        undefined,
        null,
        '',
        'x',
        0,
        -1,
        1,
        1.5,
        2 ** 53,
        Number.NaN,
        [],
        {},
      ),
      fc.anything(),
    )
    const event = fc.record(
      {
        type: fc.oneof(fc.string(), odd),
        sessionId: fc.oneof(fc.string(), odd),
        seq: fc.oneof(fc.nat(), odd),
        timestamp: fc.oneof(fc.integer(), odd),
        more: fc.anything(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(event, odd), (value) => {
        const byShape = stampedShape.safeParse(value).success
        expect(stampedEvent.safeParse(value).success).toBe(byShape)
      }),
      { numRuns: 2000 },
    )
  })

  test('a native event needs only its type', () => {
    const { payload } = piSdkSchemas['sdk.event']
    expect(payload.parse({ type: 'weather', sky: ['clear'] })).toEqual({
      type: 'weather',
      sky: ['clear'],
    })
    expect(payload.safeParse({ sky: 'clear' }).success).toBe(false)
  })

  test('a stored event needs only the fields that all events have', () => {
    const { payload } = sessionSchemas.event
    const stamped = { type: 'agent_start', sessionId: 's', seq: 1, timestamp: 2 }
    expect(payload.safeParse(stamped).success).toBe(true)
    expect(payload.safeParse({ ...stamped, type: 'from_the_future' }).success).toBe(true)
    const wrong = [
      { ...stamped, seq: 0 },
      { ...stamped, sessionId: undefined },
      'agent_start',
      null,
    ]
    expect(wrong.filter((value) => payload.safeParse(value).success)).toEqual([])
  })

  test('only an allow can rewrite the arguments or be remembered', () => {
    const { response } = piSdkSchemas.tool_approval
    const allow = {
      action: 'allow',
      updatedInput: { a: 1 },
      message: 'ok',
      remember: { scope: 'session', rule: { tool: 'bash' } },
    }
    expect(response.parse(allow)).toEqual(allow)
    expect(response.parse({ action: 'deny', message: 'no' })).toEqual({
      action: 'deny',
      message: 'no',
    })
    expect(response.safeParse({ action: 'perhaps' }).success).toBe(false)
    expect(response.safeParse({ action: 'allow', remember: 'always' }).success).toBe(false)
  })
})

test('types follow from the table', () => {
  expectTypeOf<typeof PiSdkNamespace>().toEqualTypeOf<'adapter:piSdk'>()
  expectTypeOf(
    PiSdkSubjects['turn.state_changed'],
  ).toEqualTypeOf<'adapter:piSdk.turn.state_changed'>()
  type Approval = typeof PiSdkSubjects.tool_approval
  type Twin = typeof ClaudeCliSubjects.tool_approval
  expectTypeOf<RequestOf<Approval>['toolCallId']>().toEqualTypeOf<string>()
  expectTypeOf<ResponseOf<Approval>['action']>().toEqualTypeOf<'allow' | 'deny'>()
  expectTypeOf<ResponseOf<Twin>>().toEqualTypeOf<ResponseOf<Approval>>()
  expectTypeOf<PayloadOf<'session.event'>>().toEqualTypeOf<StampedEvent>()
  expectTypeOf<PayloadOf<'approval.requested'>['type']>().toEqualTypeOf<
    EventOf<'approval_request'>['type']
  >()
  expectTypeOf<MessageFor<'session.ended'>['subject']>().toEqualTypeOf<'session.ended'>()
  expectTypeOf<MessageFor<'session.>'>>().toEqualTypeOf<BusMessage>()
})
