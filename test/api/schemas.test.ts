import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as api from '../../src/api/index.ts'

const isSchema = (value: unknown): value is z.ZodType => value instanceof z.ZodType
const schemas = Object.entries(api).flatMap(([name, value]) =>
  isSchema(value) ? [{ name, value }] : [],
)

test.each(schemas)('$name has a JSON Schema', ({ value }) => {
  for (const io of ['input', 'output'] as const)
    expect(z.toJSONSchema(value, { io })).toHaveProperty('$schema')
})

describe('requests', () => {
  test.each<[name: string, schema: z.ZodType, good: unknown[], bad: unknown[]]>([
    [
      'newProject',
      api.newProject,
      [{ name: 'A', path: '/a' }],
      [
        { name: ' ', path: '/a' },
        { name: 'A' },
        { name: 'A', path: '' },
        { name: 'A', path: '/', x: 1 },
      ],
    ],
    [
      'newSession',
      api.newSession,
      [
        { projectId: 'p', agent: 'pi' },
        { projectId: 'p', agent: 'pi', model: 'm', name: 'n' },
      ],
      [{ agent: 'pi' }, { projectId: 'p' }, { projectId: 'p', agent: 'pi', model: '' }],
    ],
    [
      'sessionQuery',
      api.sessionQuery,
      [{}, { limit: '5', state: 'idle' }],
      [{ limit: '0' }, { limit: '201' }, { limit: 'x' }, { state: 'odd' }, { page: '1' }],
    ],
    [
      'sessionChange',
      api.sessionChange,
      [{}, { name: null }, { removed: false }],
      [{ removed: true }],
    ],
    [
      'eventQuery',
      api.eventQuery,
      [{}, { after: '0', limit: '5000' }],
      [{ after: '-1' }, { limit: '1.5' }],
    ],
    [
      'promptBody',
      api.promptBody,
      [{ text: 'Hi' }, { text: 'Hi', images: [{ data: 'AA==', mimeType: 'image/png' }] }],
      [
        { text: '' },
        { text: 'Hi', images: [{ data: '?', mimeType: 'image/png' }] },
        { text: 'Hi', images: [{ data: 'AA==', mimeType: 'text/html' }] },
      ],
    ],
    ['modelBody', api.modelBody, [{ model: 'm' }, { thinkingLevel: 'high' }], [{}, { model: '' }]],
    [
      'approvalAnswer',
      api.approvalAnswer,
      [
        { action: 'allow' },
        { action: 'deny', message: 'No.' },
        { action: 'allow', hash: 'h', updatedInput: { command: 'ls' } },
        { action: 'allow', remember: { scope: 'session', rule: { tool: 'bash', pattern: 'ls' } } },
      ],
      [
        {},
        { action: 'maybe' },
        { action: 'allow', remember: 'tool' },
        { action: 'allow', remember: { scope: 'ever', rule: { tool: 'bash' } } },
        { action: 'allow', updatedInput: 'ls' },
        { action: 'allow', updatedInput: ['ls'] },
        { action: 'allow', updatedInput: null },
      ],
    ],
    [
      'newKey',
      api.newKey,
      [{ name: 'k', scopes: ['read'] }],
      [
        { name: 'k', scopes: [] },
        { name: 'k', scopes: ['root'] },
      ],
    ],
    [
      'tokenRequest',
      api.tokenRequest,
      [{}, { ttlSeconds: 60 }],
      [{ ttlSeconds: 0 }, { ttlSeconds: 1e9 }],
    ],
    ['exportQuery', api.exportQuery, [{}, { format: 'markdown' }], [{ format: 'pdf' }]],
  ])('%s accepts valid requests and rejects others', (_, schema, good, bad) => {
    for (const each of good) expect(schema.safeParse(each).error).toBeUndefined()
    for (const each of bad) expect(schema.safeParse(each).success).toBe(false)
  })
})

describe('cursors', () => {
  test('are the same after formatting and parsing', () => {
    const id = fc.uuid()
    const seq = fc.nat({ max: 999_999_999_999 })
    const checksum = fc.option(fc.nat({ max: 0xff_ff_ff_ff }), { nil: undefined })
    const cursor = fc.tuple(seq, checksum).map((parts) => api.formatEventCursor(...parts))
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(id, cursor), { selector: ([each]) => each }), (pairs) => {
        expect(api.parseCursors(api.formatCursors(pairs))).toEqual(new Map(pairs))
      }),
    )
  })

  test('of one session have a seq and a checksum', () => {
    expect(api.formatEventCursor(7, 0xabc)).toBe('7-00000abc')
    expect(api.parseEventCursor('7-00000abc')).toEqual({ seq: 7, check: '00000abc' })
    expect(api.parseEventCursor('7')).toEqual({ seq: 7 })
    for (const bad of [
      '',
      '-1',
      '1.5',
      '7-',
      '7-abc',
      '7-0000ABCD',
      '7-000000000',
      'x',
      '1'.repeat(16),
    ])
      expect(api.parseEventCursor(bad)).toBeUndefined()
  })

  test.each(['a', 'a:', ':1', 'a:1,', 'a:-1', 'a:1.5', 'a:1e3', ',', 'a:9999999999999999'])(
    '%s are invalid',
    (text) => {
      expect(api.parseCursors(text)).toBeUndefined()
    },
  )
})
