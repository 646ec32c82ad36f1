import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allScopes } from '../../src/api/scopes.ts'
import type { Project, SessionInfo } from '../../src/api/types.ts'
import { endpoints } from '../../src/http/endpoints.ts'
import { eventually } from '../support/eventually.ts'
import {
  type LocalServer,
  type RequestOptions,
  startLocalServer,
  waitForRunEnd,
} from '../support/local-server.ts'

/** A project with a session that has run once and now waits for a decision. */
interface Part {
  project: Project
  session: SessionInfo
  approvalId: string
  loopId: string
  blob: string
}

let server: LocalServer
let ours: Part
let theirs: Part
/** A key with all scopes that sees only our project. */
let token: string

beforeAll(async () => {
  server = await startLocalServer()
  ours = await createPart('ours-visible')
  theirs = await createPart('theirs-hidden')
  const { key } = await server.client.keys.create({
    name: 'restricted',
    scopes: [...allScopes],
    projects: [ours.project.id],
  })
  token = key
})
afterAll(async () => {
  await server.close()
  server.remove()
})

const createPart = async (name: string): Promise<Part> => {
  const path = join(server.home, name)
  mkdirSync(path)
  const { projects, sessions } = server.client
  const project = await projects.create({ name, path })
  const session = await sessions.create({ projectId: project.id, agent: 'demo', name })
  const images = [{ data: imageOf(name), mimeType: 'image/png' }]
  await sessions.prompt(session.id, { text: `think about ${name}`, images })
  await waitForRunEnd(server, session.id)
  await sessions.prompt(session.id, 'approve')
  const approvalId = await eventually(async () => {
    const [pending] = await server.client.approvals.list({ sessionId: session.id })
    if (!pending) throw new Error('no approval yet')
    return pending.approvalId
  })
  const events = JSON.stringify((await sessions.events(session.id, { limit: 5000 })).events)
  const blob = /"hash":"([0-9a-f]{64})","size"/.exec(events)?.[1] ?? ''
  const { loops } = server.client
  const { id: loopId } = await loops.create({
    projectId: project.id,
    agent: 'demo',
    name,
    prompt: `think about ${name}`,
  })
  await loops.stop(loopId)
  return { project, session, approvalId, loopId, blob }
}

/** An image that is large enough to become a blob. */
const imageOf = (name: string): string => Buffer.alloc(300 * 1024, name).toString('base64')

/** Everything by which the hidden project could be recognised. */
const secrets = () => [
  theirs.project.id,
  theirs.session.id,
  theirs.approvalId,
  theirs.loopId,
  'theirs-hidden', // the name of the project and the session, and the end of their directory
]

const expectNothingOf = (text: string, about: string): void => {
  for (const secret of secrets()) expect(text.includes(secret), `${secret} in ${about}`).toBe(false)
}

const send = async (path: string, sent: RequestOptions = {}) => {
  const response = await server.send(path, { ...sent, token })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

/** Bodies that endpoints accept, so that requests get past the checks of their form. */
const bodies: Partial<Record<keyof typeof endpoints, unknown>> = {
  createLoop: () => ({ projectId: theirs.project.id, agent: 'demo', prompt: 'hi' }),
  updateLoop: () => ({ name: 'taken' }),
  createComparison: () => ({
    ...{ projectId: theirs.project.id, agents: ['demo', 'pi'], prompt: 'hi' },
  }),
  createSession: () => ({ projectId: theirs.project.id, agent: 'demo' }),
  updateSession: () => ({ removed: false, name: 'taken' }),
  forkSession: () => ({ name: 'taken' }),
  continueSession: () => ({}),
  rewindSession: () => ({ beforeMessage: 'm' }),
  prompt: () => ({ text: 'hi' }),
  steer: () => ({ text: 'hi' }),
  editQueued: () => ({ text: 'hi' }),
  followUp: () => ({ text: 'hi' }),
  setModel: () => ({ model: 'm' }),
  setMode: () => ({ mode: 'plan' }),
  runShell: () => ({ command: 'true' }),
  addSessionRule: () => ({ effect: 'deny', tool: 'bash' }),
  addProjectRule: () => ({ effect: 'deny', tool: 'bash' }),
  answerApproval: () => ({ action: 'allow' }),
  createKey: () => ({ name: 'wider', scopes: ['read'], projects: [theirs.project.id] }),
}

const queries: Partial<Record<string, string>> = {
  search: '?q=hidden',
  getCost: '?group=session',
  exportSession: '?format=jsonl',
  removeWorktree: '?path=/nowhere',
  listAgentConversations: '?projectId=:id',
}

const table = Object.entries(endpoints).filter(([, { isStream }]) => isStream !== true)
const withId = table.filter(([, { path }]) => path.includes(':'))
const withoutId = table.filter(([, { path }]) => !path.includes(':') && !path.includes('*'))

/** The id that a path needs, of the hidden project. */
const hiddenIdFor = (path: string): string => {
  if (path.includes('/projects/') || path.includes('/agents/')) return theirs.project.id
  if (path.includes('/approvals/')) return theirs.approvalId
  if (path.includes('/loops/')) return theirs.loopId
  return path.includes(':hash') ? theirs.blob : theirs.session.id
}

/** As long as the given id, of the same form, and used by nothing. */
const unusedLike = (id: string): string => id.replaceAll(/[0-9a-f]/g, 'e')

test.each(withoutId)('%s shows nothing of another project', async (name, { method, path }) => {
  const body = bodies[name as keyof typeof endpoints]
  const { text, headers } = await send(path + (queries[name] ?? ''), {
    method,
    ...(typeof body === 'function' && { body: body() }),
    ...(body === undefined && method === 'POST' && { body: {} }),
  })
  expectNothingOf(
    // What the request itself named may come back.
    name === 'createComparison' ||
      name === 'createSession' ||
      name === 'createLoop' ||
      name === 'createKey'
      ? text.replaceAll(theirs.project.id, '')
      : text,
    name,
  )
  expectNothingOf(JSON.stringify([...headers]), `the headers of ${name}`)
})

test.each(withId)(
  '%s: what is hidden looks as if it did not exist',
  async (name, { method, path }) => {
    const ask = async (id: string) => {
      const body = bodies[name as keyof typeof endpoints]
      const sent = typeof body === 'function' ? { method, body: body() } : { method }
      const target = path.replace(/:\w+/, id) + (queries[name] ?? '').replace(':id', id)
      const { status, text } = await send(target, sent)
      return { status, text: text.replaceAll(id, '<id>') }
    }
    const id = hiddenIdFor(path)
    const hidden = await ask(id)
    expect([403, 404]).toContain(hidden.status)
    expect(hidden).toEqual(await ask(unusedLike(id)))
    expectNothingOf(hidden.text, name)
  },
)

test('what the key may see is there', async () => {
  const { id } = ours.session
  for (const path of [
    `/projects/${ours.project.id}`,
    `/sessions/${id}`,
    `/sessions/${id}/messages`,
    `/sessions/${id}/export?format=jsonl`,
    `/blobs/${ours.blob}`,
    `/approvals/${ours.approvalId}/preview`,
    `/loops/${ours.loopId}`,
  ])
    expect((await server.api(path, { token })).status, path).toBe(200)
  const { sessions } = JSON.parse((await send('/api/v1/sessions')).text)
  expect(sessions).toMatchObject([{ loopId: ours.loopId }, { id }])
  const { projects } = JSON.parse((await send('/api/v1/projects')).text)
  expect(projects).toMatchObject([{ id: ours.project.id }])
  const cost = JSON.parse((await send('/api/v1/cost?group=session')).text)
  expect(cost.rows).toMatchObject([{ key: id, sums: { calls: expect.any(Number) } }])
  expect(cost.total).toEqual(cost.rows[0].sums)
  const { hits } = JSON.parse((await send('/api/v1/search?q=think')).text)
  expect(hits).not.toEqual([])
  expect(JSON.parse((await send('/api/v1/approvals')).text)).toMatchObject([
    { approvalId: ours.approvalId },
  ])
  const created = await server.api('/sessions', {
    method: 'POST',
    token,
    body: { projectId: ours.project.id, agent: 'demo' },
  })
  expect(created.status).toBe(201)
  expect(JSON.parse((await send('/api/v1/access')).text)).toMatchObject({
    projects: [ours.project.id],
  })
})

test('a hidden session was not changed by any of this', async () => {
  const { id, name } = theirs.session
  expect(await server.client.sessions.get(id)).toMatchObject({ name })
  expect(await server.client.approvals.list({ sessionId: id })).toHaveLength(1)
})

test('the overview shows nothing of another project, neither at first nor later', async () => {
  const response = await server.send('/api/v1/stream', { token })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) throw new Error('no stream')
  const { sessions, approvals } = server.client
  const other = await sessions.create({
    projectId: theirs.project.id,
    agent: 'demo',
    name: 'another theirs-hidden',
  })
  await sessions.prompt(other.id, 'think')
  await waitForRunEnd(server, other.id)
  await approvals.answer(theirs.approvalId, { action: 'deny' })
  await sessions.update(other.id, { name: 'renamed theirs-hidden' })
  await sessions.remove(other.id)
  await sessions.update(ours.session.id, { name: 'the-last-change' })
  let text = ''
  while (!text.includes('the-last-change')) text += (await reader.read()).value ?? ''
  await reader.cancel()
  expectNothingOf(text, 'the overview')
  expect(text).not.toContain(other.id)
  const [first = ''] = text.split('\n').filter((line) => line.includes('"type":"overview"'))
  expect(JSON.parse(first.replace('data: ', ''))).toMatchObject({
    approvals: [{ approvalId: ours.approvalId }],
    totals: { approvals: 1 },
  })
})

test('a stream of a hidden session is a stream of an unknown one', async () => {
  const ask = async (id: string) => {
    const one = await send(`/api/v1/sessions/${id}/stream`)
    const many = await send(`/api/v1/stream?sessions=${ours.session.id},${id}`)
    return [one, many].map(({ status, text }) => ({ status, text: text.replaceAll(id, '<id>') }))
  }
  const hidden = await ask(theirs.session.id)
  expect(hidden.map(({ status }) => status)).toEqual([404, 404])
  expect(hidden).toEqual(await ask(unusedLike(theirs.session.id)))
})

test('a restricted key manages only the keys that it created', async () => {
  const listed = JSON.parse((await send('/api/v1/keys')).text).keys
  expect(listed.map(({ name }: { name: string }) => name)).toEqual(['restricted'])
  const body = { name: 'child', scopes: ['read'] }
  const created = JSON.parse((await send('/api/v1/keys', { method: 'POST', body })).text)
  expect(created).toMatchObject({ projects: [ours.project.id], createdBy: 'restricted' })
  const stranger = await server.client.keys.create({ name: 'stranger', scopes: ['read'] })
  expect((await send(`/api/v1/keys/${stranger.id}`, { method: 'DELETE' })).status).toBe(404)
  expect((await send(`/api/v1/keys/${created.id}`, { method: 'DELETE' })).status).toBe(204)
})

test('a key can be restricted to one session', async () => {
  const { key } = await server.client.keys.create({
    name: 'one session',
    scopes: ['read'],
    sessions: [ours.session.id],
  })
  const response = await server.api('/sessions', { token: key })
  const { sessions }: { sessions: SessionInfo[] } = JSON.parse(await response.text())
  expect(sessions.map(({ id }) => id)).toEqual([ours.session.id])
  expect((await server.api(`/projects/${ours.project.id}`, { token: key })).status).toBe(404)
})
