import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StampedEvent } from '../../../src/events/types.ts'
import { eventually } from '../../support/eventually.ts'
import {
  type LocalServer,
  readProblem,
  startLocalServer,
  waitForRunEnd,
} from '../../support/local-server.ts'

/** The queue of a session, changed over a real port while the demo agent waits for an approval. */
let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(async () => {
  await server.close()
  server.remove()
})

const nextApproval = async (id: string): Promise<string> => {
  for await (const event of server.client.sessions.stream(id)) {
    if (event.type === 'approval_request') return event.approvalId
    const [open] = event.type === 'snapshot' ? (event.approvals ?? []) : []
    if (open) return open.approvalId
  }
  throw new Error('there was no approval request')
}

/** A session whose run waits for an approval, with these messages in its queue. */
const sessionWithQueue = async (...texts: string[]) => {
  const { id } = await server.createDemoSession()
  const { sessions } = server.client
  const { seq } = await sessions.prompt(id, 'approve')
  const approvalId = await nextApproval(id)
  for (const text of texts) await sessions.followUp(id, text)
  const { items } = await sessions.queue(id)
  expect(items.map(({ text }) => text)).toEqual(texts)
  const ids = items.map((item) => item.id ?? '')
  const finish = () => server.client.approvals.answer(approvalId, { action: 'deny' })
  return { id, seq, ids, finish }
}

type StampedMessage = Extract<StampedEvent, { type: 'message_end' }>

const userMessages = async (id: string): Promise<StampedMessage[]> => {
  const { events } = await server.client.sessions.events(id)
  return events.flatMap((event) =>
    event.type === 'message_end' && event.message.role === 'user' ? [event] : [],
  )
}

const textOf = ({ message }: StampedMessage): string =>
  message.content.map((block) => ('text' in block ? String(block.text) : '')).join('')

const queuedTexts = async (id: string): Promise<string[]> =>
  (await server.client.sessions.queue(id)).items.map(({ text }) => text)

test('messages that wait have ids, and can be edited and removed', async () => {
  const { id, ids, finish } = await sessionWithQueue('think one', 'think two', 'think three')
  const [first = '', second = '', third = ''] = ids
  const { sessions } = server.client
  await sessions.editQueued(id, second, 'think twice')
  await sessions.removeQueued(id, first)
  expect((await sessions.queue(id)).items).toEqual([
    { id: second, kind: 'follow_up', text: 'think twice', state: 'waiting', by: 'test' },
    { id: third, kind: 'follow_up', text: 'think three', state: 'waiting', by: 'test' },
  ])
  const { events } = await sessions.events(id)
  const last = events.findLast((event) => event.type === 'queue_update')
  expect(last).toMatchObject({
    queued: { steering: [], followUp: ['think twice', 'think three'], items: [{ id: second }, {}] },
  })
  await finish()
  await eventually(async () =>
    expect((await userMessages(id)).map(textOf)).toEqual(['approve', 'think twice', 'think three']),
  )
  expect((await userMessages(id)).at(1)).toMatchObject({ commandId: second })
  const gone = server.api(`/sessions/${id}/queue/${second}`, { method: 'DELETE' })
  expect(await readProblem(gone)).toMatchObject({ status: 404, code: 'unknown_message' })
})

test('a message can be sent into the run', async () => {
  const { id, ids, finish } = await sessionWithQueue('think later', 'think now')
  const { sessions } = server.client
  await sessions.sendQueued(id, ids[1] ?? '')
  await eventually(async () =>
    expect((await sessions.queue(id)).items).toMatchObject([
      { id: ids[1], kind: 'steer', text: 'think now', state: 'sent' },
      { id: ids[0], kind: 'follow_up', text: 'think later', state: 'waiting' },
    ]),
  )
  // The agent holds it now, and the demo agent does not give messages back.
  const edit = { method: 'PATCH', body: { text: 'x' } }
  for (const request of [edit, { method: 'DELETE' }])
    expect(await readProblem(server.api(`/sessions/${id}/queue/${ids[1]}`, request))).toMatchObject(
      { status: 409, code: 'message_sent' },
    )
  await finish()
  await eventually(async () =>
    expect((await userMessages(id)).map(textOf)).toEqual(['approve', 'think now', 'think later']),
  )
  const { events } = await sessions.events(id)
  const firstEnd = events.findIndex(({ type }) => type === 'agent_end')
  const sent = (await userMessages(id)).at(1)?.seq ?? 0
  expect(sent).toBeLessThan(events[firstEnd]?.seq ?? 0)
})

test('after a stop the queue waits, and a message that is sent starts a run', async () => {
  const { id, seq, ids } = await sessionWithQueue('think one', 'think two')
  const { sessions } = server.client
  await sessions.abort(id)
  await waitForRunEnd(server, id, seq)
  expect(await queuedTexts(id)).toEqual(['think one', 'think two'])
  const { seq: sentAt } = await sessions.sendQueued(id, ids[1] ?? '')
  await waitForRunEnd(server, id, sentAt)
  await eventually(async () =>
    expect((await userMessages(id)).map(textOf)).toEqual(['approve', 'think two', 'think one']),
  )
  expect(await queuedTexts(id)).toEqual([])
})

test('edits and removals survive a restart, and are in the audit', async () => {
  const { id, seq, ids } = await sessionWithQueue('think one', 'think two')
  const { sessions } = server.client
  await sessions.editQueued(id, ids[0] ?? '', 'think again')
  await sessions.removeQueued(id, ids[1] ?? '')
  await sessions.abort(id)
  await waitForRunEnd(server, id, seq)
  await server.close()
  server = await startLocalServer({ directory: server.root })
  expect((await server.client.sessions.queue(id)).items).toMatchObject([
    { id: ids[0], text: 'think again', state: 'waiting' },
  ])
  await server.client.sessions.removeQueued(id, ids[0] ?? '')
  expect(await queuedTexts(id)).toEqual([])
  const { entries } = await server.client.audit.list({ sessionId: id })
  const changes = entries.filter(({ action }) => action.startsWith('message_'))
  expect(changes.map(({ action, detail }) => `${action} ${detail}`).sort()).toEqual([
    'message_edited think again',
    'message_removed think again',
    'message_removed think two',
  ])
})
