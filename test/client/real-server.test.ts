import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { entryLines } from '../transcript/inspect.ts'
import { until } from './support/until.ts'

let server: LocalServer
beforeEach(async () => {
  server = await startLocalServer()
})
afterEach(async () => {
  await server.close()
  server.remove()
})

test('follow and followAll build the same transcript of a run', async () => {
  const { client } = server
  const all = client.followAll()
  await until(() => all.overview.get().isLoaded)
  const { id } = await server.createDemoSession()
  const one = client.follow(id)
  const shared = all.follow(id)
  await until(() => one.isLoaded() && shared.isLoaded())
  await client.sessions.prompt(id, 'approve')
  await until(() => all.overview.get().approvals.length === 1)
  const [approval] = all.overview.get().approvals
  expect(approval).toMatchObject({ sessionId: id, toolName: 'bash' })
  expect(await client.approvals.list()).toMatchObject([{ approvalId: approval?.approvalId }])
  await client.approvals.answer(approval?.approvalId ?? '', { action: 'allow' })
  await until(() => one.get().outcome !== null && shared.get().seq === one.get().seq)
  expect(shared.get()).toEqual(one.get())
  await until(() => all.overview.get().sessions[0]?.seq === one.get().seq)
  expect(all.overview.get()).toMatchObject({
    sessions: [{ id, activity: { kind: 'idle' }, pendingApprovals: 0 }],
    approvals: [],
    totals: { sessions: 1, running: 0, approvals: 0 },
  })
  const { events, head } = await client.sessions.events(id)
  expect(events.map(({ seq }) => seq)).toEqual(
    Array.from({ length: head }, (_, index) => index + 1),
  )
  expect((await client.sessions.messages(id)).seq).toBe(head)
  one.close()
  all.close()
})

test('a session that does not exist is dropped, and the others continue', async () => {
  const { client } = server
  const { id } = await server.createDemoSession()
  const all = client.followAll()
  const here = all.follow(id)
  const nowhere = all.follow('nowhere')
  await until(here.isLoaded)
  expect(nowhere.state()).toMatchObject({ error: { status: 404, code: 'unknown_session' } })
  await client.sessions.remove(id)
  await until(() => here.state().status === 'stopped')
  expect(here.state()).toMatchObject({ error: { status: 410 } })
  expect(all.state().status).toBe('live')
  all.close()
})

test('a restarted server is found again, and no event is missed or repeated', async () => {
  const { id } = await server.createDemoSession()
  const one = server.client.follow(id)
  await until(one.isLoaded)
  await server.client.sessions.prompt(id, 'parallel')
  await until(() => one.get().outcome !== null)
  const before = one.get()
  const { port, root } = server
  await server.close()
  await until(() => one.state().status !== 'live')
  expect(one.get()).toBe(before)
  server = await startLocalServer({ directory: root, port })
  await server.client.sessions.prompt(id, 'think')
  const fresh = server.client.follow(id)
  await until(
    () => entryLines(one.get()).length > entryLines(before).length && !one.get().isStreaming,
  )
  await until(() => fresh.get().seq === one.get().seq)
  expect(one.get()).toEqual(fresh.get())
  expect(entryLines(one.get()).slice(0, entryLines(before).length)).toEqual(entryLines(before))
  one.close()
  fresh.close()
})
