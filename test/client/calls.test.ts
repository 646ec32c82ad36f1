import { expect, test } from 'vitest'
import { type Client, createClient } from '../../src/client/index.ts'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import { createClock } from './support/clock.ts'
import { eventAt } from './support/frames.ts'
import { openScriptedServer } from './support/scripted-server.ts'

const session = { id: 's', agent: 'pi', cwd: '/p', state: 'idle', createdAt: 1, updatedAt: 1 }
const project = { id: 'p', name: 'One', path: '/p', createdAt: 1 }
const key = { id: 'k', name: 'One', scopes: ['read'], createdAt: 1 }
const approval = { approvalId: 'a', sessionId: 's', deadline: 9, toolName: 'bash', args: {} }
const accepted = { sessionId: 's', outcome: 'accepted', seq: 4 }
const preview = { approvalId: 'a', kind: 'arguments', suggestions: [] }
const newRule = { effect: 'allow', tool: 'bash', pattern: 'ls' } as const
const rule = { ...newRule, id: 'r', scope: 'session' }
const ruleList = { mode: 'ask', rules: [rule] }
const answered = { approvalId: 'a', sessionId: 's', action: 'allow', outcome: 'answered' }
const usage = { sessionId: 's', totals: emptyTotals(), byModel: {}, turns: [], entries: [] }
const diff = { sessionId: 's', since: 1, source: 'git', files: [] }
const page = {
  events: [eventAt(1), { ...eventAt(2), type: 'from_the_future' }],
  head: 2,
  cursor: '2-0000000a',
  next: '2-0000000a',
}
const access = { actor: { kind: 'key', id: 'k', name: 'One' }, scopes: ['read'] }
const token = { token: 't', expiresAt: 1, scopes: ['read'] }

type Row = [
  request: string,
  run: (client: Client) => Promise<unknown>,
  response: unknown,
  result?: unknown,
  body?: unknown,
]

/** Every call: the request that it sends, the response, and its result unless that is the response. */
const rows: Row[] = [
  ['GET health', (c) => c.health(), { status: 'ok', version: '1' }],
  ['GET agents', (c) => c.agents.list(), { agents: [] }, []],
  ['GET projects', (c) => c.projects.list(), { projects: [project] }, [project]],
  [
    'POST projects',
    (c) => c.projects.create({ name: 'One', path: '/p' }),
    project,
    project,
    { name: 'One', path: '/p' },
  ],
  ['GET directories', (c) => c.projects.directories(), { directories: [] }],
  [
    'GET directories?path=%2Fp',
    (c) => c.projects.directories('/p'),
    { path: '/p', directories: [{ name: 'q', path: '/p/q' }] },
  ],
  ['GET projects/p', (c) => c.projects.get('p'), project],
  ['DELETE projects/p', (c) => c.projects.remove('p'), '', undefined],
  ['GET sessions', (c) => c.sessions.list(), { sessions: [session], next: 'n' }],
  [
    'GET sessions?state=idle&limit=5&cursor=n',
    (c) => c.sessions.list({ state: 'idle', limit: 5, cursor: 'n' }),
    { sessions: [] },
  ],
  [
    'POST sessions',
    (c) => c.sessions.create({ projectId: 'p', agent: 'pi' }),
    session,
    session,
    { projectId: 'p', agent: 'pi' },
  ],
  [
    'GET sessions/s/models',
    (c) => c.sessions.models('s'),
    { sessionId: 's', models: ['one'], isComplete: true },
  ],
  ['GET sessions/a%2Fb', (c) => c.sessions.get('a/b'), session],
  [
    'PATCH sessions/s',
    (c) => c.sessions.update('s', { name: 'N' }),
    session,
    session,
    { name: 'N' },
  ],
  ['DELETE sessions/s', (c) => c.sessions.remove('s'), '', undefined],
  [
    'GET sessions/s/messages',
    (c) => c.sessions.messages('s'),
    { sessionId: 's', seq: 1, messages: [] },
  ],
  [
    'GET sessions/s/messages?view=model',
    (c) => c.sessions.messages('s', { view: 'model' }),
    { sessionId: 's', seq: 1, messages: [] },
  ],
  [
    'GET sessions/s/events?after=0&limit=2',
    (c) => c.sessions.events('s', { after: 0, limit: 2 }),
    page,
    { ...page, events: [eventAt(1)] },
  ],
  ['GET sessions/s/context', (c) => c.sessions.context('s'), { sessionId: 's', context: null }],
  ['GET sessions/s/usage', (c) => c.sessions.usage('s'), usage],
  ['GET sessions/s/turn-diff', (c) => c.sessions.turnDiff('s'), diff],
  [
    'POST sessions/s/prompt',
    (c) => c.sessions.prompt('s', 'Hi'),
    accepted,
    accepted,
    { text: 'Hi' },
  ],
  [
    'POST sessions/s/prompt',
    (c) =>
      c.sessions.prompt('s', { text: 'Hi', images: [{ data: 'AA==', mimeType: 'image/png' }] }),
    accepted,
    accepted,
    { text: 'Hi', images: [{ data: 'AA==', mimeType: 'image/png' }] },
  ],
  ['POST sessions/s/steer', (c) => c.sessions.steer('s', 'Hi'), accepted, accepted, { text: 'Hi' }],
  [
    'POST sessions/s/follow-up',
    (c) => c.sessions.followUp('s', 'Hi'),
    accepted,
    accepted,
    { text: 'Hi' },
  ],
  [
    'GET sessions/s/queue',
    (c) => c.sessions.queue('s'),
    { sessionId: 's', items: [] },
    { sessionId: 's', items: [] },
  ],
  [
    'PATCH sessions/s/queue/m',
    (c) => c.sessions.editQueued('s', 'm', 'Hi'),
    accepted,
    accepted,
    { text: 'Hi' },
  ],
  ['DELETE sessions/s/queue/m', (c) => c.sessions.removeQueued('s', 'm'), accepted, accepted],
  ['POST sessions/s/queue/m/send', (c) => c.sessions.sendQueued('s', 'm'), accepted, accepted, {}],
  ['POST sessions/s/abort', (c) => c.sessions.abort('s'), accepted, accepted, {}],
  [
    'POST sessions/s/compact',
    (c) => c.sessions.compact('s', { instructions: 'Short.' }),
    accepted,
    accepted,
    { instructions: 'Short.' },
  ],
  [
    'POST sessions/s/model',
    (c) => c.sessions.model('s', { model: 'm' }),
    accepted,
    accepted,
    { model: 'm' },
  ],
  ['GET approvals', (c) => c.approvals.list(), [approval]],
  ['GET approvals?sessionId=s', (c) => c.approvals.list({ sessionId: 's' }), []],
  [
    'POST approvals/a',
    (c) => c.approvals.answer('a', { action: 'allow', hash: 'h' }),
    answered,
    answered,
    { action: 'allow', hash: 'h' },
  ],
  ['GET approvals/a/preview', (c) => c.approvals.preview('a'), preview],
  ['GET sessions/s/rules', (c) => c.rules.ofSession('s'), ruleList],
  ['POST sessions/s/rules', (c) => c.rules.addToSession('s', newRule), rule, rule, newRule],
  ['DELETE sessions/s/rules/r', (c) => c.rules.removeFromSession('s', 'r'), undefined],
  ['GET projects/p/rules', (c) => c.rules.ofProject('p'), ruleList],
  ['POST projects/p/rules', (c) => c.rules.addToProject('p', newRule), rule, rule, newRule],
  ['DELETE projects/p/rules/r', (c) => c.rules.removeFromProject('p', 'r'), undefined],
  [
    'POST auth/token',
    (c) => c.auth.token({ scopes: ['read'] }),
    token,
    token,
    { scopes: ['read'] },
  ],
  [
    'GET audit?sessionId=s&limit=2',
    (c) => c.audit.list({ sessionId: 's', limit: 2 }),
    { entries: [], next: 3 },
  ],
  ['GET access', (c) => c.auth.access(), access],
  ['GET keys', (c) => c.keys.list(), { keys: [key] }, [key]],
  [
    'POST keys',
    (c) => c.keys.create({ name: 'One', scopes: ['read'] }),
    { ...key, key: 'x' },
    { ...key, key: 'x' },
    { name: 'One', scopes: ['read'] },
  ],
  ['DELETE keys/k', (c) => c.keys.revoke('k'), '', undefined],
]

/** Calls with an idempotency key. */
const keyed = ['prompt', 'steer', 'follow-up', 'approvals/a']

test.each(rows)(
  '%s',
  async (line, run, response, ...[result = response === '' ? undefined : response, body]) => {
    await using server = await openScriptedServer()
    const { platform } = createClock()
    const client = createClient({ url: server.url, token: async () => 'secret', ...platform })
    const running = run(client)
    const request = await server.nextRequest()
    const [method, path] = line.split(' ')
    expect([request.method, request.path]).toEqual([method, `/api/v1/${path}`])
    expect(request.headers.authorization).toBe('Bearer secret')
    expect(request.body).toEqual(body)
    expect(request.headers['content-type']).toBe(
      body === undefined ? undefined : 'application/json',
    )
    const isKeyed = method === 'POST' && keyed.some((each) => path?.endsWith(each))
    expect(request.headers['idempotency-key'] !== undefined).toBe(isKeyed)
    request.json(response)
    expect(await running).toEqual(result)
  },
)

test('exports and blobs are returned as files', async () => {
  await using server = await openScriptedServer()
  const client = createClient({ url: `${server.url}/below/` })
  const exported = client.sessions.export('s', 'markdown')
  const request = await server.nextRequest()
  expect(request.path).toBe('/below/api/v1/sessions/s/export?format=markdown')
  request.json('# text', 200, { 'content-type': 'text/markdown' })
  const file = await exported
  expect(file.type).toBe('text/markdown')
  expect(await file.text()).toBe('"# text"')
  const blob = client.blobs.get('0a')
  const second = await server.nextRequest()
  expect(second.path).toBe('/below/api/v1/blobs/0a')
  second.json(1)
  expect((await blob).size).toBe(1)
})
