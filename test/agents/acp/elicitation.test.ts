import { describe, expect, test } from 'vitest'
import type { ApprovalReply } from '../../../src/agents/live.ts'
import type { EventOf } from '../../../src/events/types.ts'
import { readyRig } from '../../support/acp-rig.ts'

const everyField = {
  type: 'object',
  required: ['name', 'size'],
  properties: {
    name: { type: 'string', title: 'Name', description: 'How it is called', minLength: 2 },
    size: { type: 'integer', minimum: 1, maximum: 5 },
    weight: { type: 'number', default: 1.5 },
    fast: { type: 'boolean', default: true },
    colour: {
      type: 'string',
      oneOf: [
        { const: 'r', title: 'Red' },
        { const: 'b', title: 'Blue' },
      ],
    },
    plain: { type: 'string', enum: ['one', 'two'] },
    old: { type: 'string', enum: ['x', 'y'], enumNames: ['Ex', 'Why'] },
    many: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, maxItems: 1 },
    some: { type: 'array', items: { type: 'string', enum: ['c', 'd'] }, default: ['d'] },
  },
}

const form = (requestedSchema: object, more: object = {}) => ({
  id: 9,
  method: 'elicitation/create',
  params: { mode: 'form', sessionId: 's1', message: 'I need this.', requestedSchema, ...more },
})

const link = (url: string) => ({
  id: 9,
  method: 'elicitation/create',
  params: { mode: 'url', sessionId: 's1', message: 'Log in.', url, elicitationId: 'e1' },
})

/** A connection whose agent has made a request, and what it shows. */
const requested = (line: object) => {
  const rig = readyRig()
  rig.connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  rig.receive(line)
  const request = rig.events.find(
    (event): event is EventOf<'approval_request'> => event.type === 'approval_request',
  )
  const respond = (answer: ApprovalReply) => {
    if (!request) return expect.unreachable('nothing was requested')
    rig.connection.send({ type: 'answer', id: 'c2', request, answer })
    return rig.last()
  }
  return { ...rig, request, respond }
}

test('the client announces forms and addresses', () => {
  const [initialize] = readyRig().written
  expect(initialize).toMatchObject({
    params: { clientCapabilities: { elicitation: { form: {}, url: {} } } },
  })
})

describe('a form', () => {
  test('becomes questions that say what may be typed', () => {
    const { request } = requested(form(everyField))
    expect(request).toMatchObject({
      kind: 'question',
      dialog: { kind: 'form', title: 'Agent asks for input', message: 'I need this.' },
    })
    expect(request?.questions).toEqual([
      {
        question: 'How it is called',
        header: 'Name',
        options: [],
        isOptional: false,
        minimum: 2,
      },
      {
        question: 'size',
        options: [],
        isOptional: false,
        format: 'integer',
        minimum: 1,
        maximum: 5,
      },
      { question: 'weight', options: [], isOptional: true, format: 'number', prefill: ['1.5'] },
      {
        question: 'fast',
        options: [{ label: 'Yes' }, { label: 'No' }],
        onlyOptions: true,
        isOptional: true,
        prefill: ['Yes'],
      },
      {
        question: 'colour',
        options: [{ label: 'Red' }, { label: 'Blue' }],
        onlyOptions: true,
        isOptional: true,
      },
      {
        question: 'plain',
        options: [{ label: 'one' }, { label: 'two' }],
        onlyOptions: true,
        isOptional: true,
      },
      {
        question: 'old',
        options: [{ label: 'Ex' }, { label: 'Why' }],
        onlyOptions: true,
        isOptional: true,
      },
      {
        question: 'many',
        options: [{ label: 'A' }],
        onlyOptions: true,
        multiSelect: true,
        isOptional: true,
        maximum: 1,
      },
      {
        question: 'some',
        options: [{ label: 'c' }, { label: 'd' }],
        onlyOptions: true,
        multiSelect: true,
        isOptional: true,
        prefill: ['d'],
      },
    ])
  })

  test('is answered with values of the types that the form has', () => {
    const { respond } = requested(form(everyField))
    const answers = {
      'How it is called': ['Ann'],
      size: ['3'],
      weight: ['2.5'],
      fast: ['No'],
      colour: ['Blue'],
      old: ['Why'],
      many: ['A'],
      plain: [],
    }
    expect(respond({ action: 'allow', answers })).toEqual({
      jsonrpc: '2.0',
      id: 9,
      result: {
        action: 'accept',
        content: {
          name: 'Ann',
          size: 3,
          weight: 2.5,
          fast: false,
          colour: 'b',
          old: 'y',
          many: ['a'],
        },
      },
    })
  })

  test.each<[string, ApprovalReply, string]>([
    ['a refusal', { action: 'deny' }, 'decline'],
    ['a cancelled one', { action: 'deny', optionId: 'cancel' }, 'cancel'],
    ['one that nobody answered', { action: 'deny', isUnanswered: true }, 'cancel'],
    ['a yes without the answers', { action: 'allow' }, 'decline'],
    ['an answer of the wrong type', { action: 'allow', answers: { size: ['many'] } }, 'decline'],
  ])('%s', (_, answer, action) => {
    const { respond } = requested(form(everyField))
    expect(respond(answer)).toMatchObject({ id: 9, result: { action } })
  })

  test('two fields with the same words stay two questions', () => {
    const field = { type: 'string', title: 'Other' }
    const { request, respond } = requested(form({ properties: { a: field, b: field } }))
    expect(request?.questions?.map(({ question }) => question)).toEqual(['Other', 'Other (b)'])
    expect(respond({ action: 'allow', answers: { 'Other (b)': ['x'] } })).toMatchObject({
      result: { action: 'accept', content: { b: 'x' } },
    })
  })

  test('names that objects inherit are names as all others', () => {
    const properties = JSON.parse(
      '{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}',
    )
    const { request, respond } = requested(form({ properties }))
    expect(request?.questions?.map(({ question }) => question)).toEqual([
      '__proto__',
      'constructor',
    ])
    const answers = JSON.parse('{"__proto__": ["p"], "constructor": ["c"]}')
    const { result } = respond({ action: 'allow', answers }) ?? {}
    expect(JSON.stringify(result)).toBe(
      '{"action":"accept","content":{"__proto__":"p","constructor":"c"}}',
    )
  })

  test('without fields it is a question for yes or no', () => {
    const { request, respond } = requested(form({ properties: {} }))
    expect(request).toMatchObject({ dialog: { kind: 'confirm' } })
    expect(request?.questions).toBeUndefined()
    expect(respond({ action: 'allow' })).toMatchObject({
      result: { action: 'accept', content: {} },
    })
  })

  test('an unknown field is left out, unless it is required', () => {
    const properties = { a: { type: 'string' }, b: { type: '_slider' } }
    expect(requested(form({ properties })).request?.questions).toHaveLength(1)
    const { request, last, events } = requested(form({ properties, required: ['b'] }))
    expect(request).toBeUndefined()
    expect(last()).toMatchObject({ id: 9, result: { action: 'cancel' } })
    expect(events.at(-1)).toMatchObject({ notice: { level: 'warning' } })
  })

  test('a pattern of the agent is shown and never tried: it could take for ever', () => {
    const slow = { type: 'string', pattern: '^(a+)+$' }
    const { request, respond } = requested(form({ properties: { slow } }))
    expect(request?.questions?.[0]?.question).toBe('slow (pattern: ^(a+)+$)')
    const text = `${'a'.repeat(40)}!`
    const answers = { 'slow (pattern: ^(a+)+$)': [text] }
    expect(respond({ action: 'allow', answers })).toMatchObject({
      result: { content: { slow: text } },
    })
  })

  test('belongs to the call that it names, and ends with an abort', () => {
    const rig = readyRig()
    rig.connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
    const update = {
      sessionUpdate: 'tool_call',
      toolCallId: 't1',
      title: 'ask',
      status: 'in_progress',
    }
    rig.receive({ method: 'session/update', params: { sessionId: 's1', update } })
    rig.receive(form(everyField, { toolCallId: 't1' }))
    expect(rig.events.at(-1)).toMatchObject({ type: 'approval_request', toolCallId: 't1' })
    rig.connection.send({ type: 'abort', id: 'c2' })
    expect(rig.last()).toEqual({ jsonrpc: '2.0', id: 9, result: { action: 'cancel' } })
  })

  test('is withdrawn when the agent cancels its request', () => {
    const { receive, events } = requested(form(everyField))
    receive({ method: '$/cancel_request', params: { requestId: 9 } })
    expect(events.at(-1)).toMatchObject({ type: 'approval_resolved', outcome: 'cancelled' })
  })
})

describe('an address', () => {
  test('is shown whole, and a person says whether they open it', () => {
    const { request, respond } = requested(link('https://example.org/login?a=b'))
    expect(request).toMatchObject({
      kind: 'question',
      dialog: { kind: 'url', message: 'Log in.', url: 'https://example.org/login?a=b' },
    })
    expect(respond({ action: 'allow' })).toMatchObject({ result: { action: 'accept' } })
  })

  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://bank.example@evil.example/',
    'no address',
  ])('that is no plain web address is not shown: %s', (url) => {
    const { request, last } = requested(link(url))
    expect(request).toBeUndefined()
    expect(last()).toMatchObject({ result: { action: 'cancel' } })
  })

  test('is closed when the agent reports that it was used', () => {
    const { receive, events, last } = requested(link('https://example.org/'))
    receive({ method: 'elicitation/complete', params: { elicitationId: 'other' } })
    expect(events.at(-1)).toMatchObject({ type: 'approval_request' })
    receive({ method: 'elicitation/complete', params: { elicitationId: 'e1' } })
    expect(events.at(-1)).toMatchObject({ type: 'approval_resolved', action: 'allow' })
    expect(last()).toMatchObject({ id: 9, result: { action: 'accept' } })
  })
})
