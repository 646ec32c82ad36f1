import { expect, test } from 'vitest'
import type { FollowOptions } from '../../src/client/index.ts'
import { createClient } from '../../src/client/index.ts'
import { applyAll, emptyTranscript, entriesOf, toSnapshot } from '../../src/transcript/index.ts'
import { delta, end, open, say, stampAll, start } from '../transcript/events.ts'
import { textsIn } from '../transcript/seen.ts'
import { createClock } from './support/clock.ts'
import { eventAt, frame, frames, resumed, snapshotAt } from './support/frames.ts'
import { openServer, type TestServer } from './support/server.ts'
import { until } from './support/until.ts'

const openStore = (server: TestServer, options?: FollowOptions) => {
  const clock = createClock()
  const client = createClient({ url: server.url, ...clock.platform })
  const store = client.follow('s', options)
  return { ...store, clock, [Symbol.dispose]: store.close }
}

const events = stampAll([start, ...say('a', 'One.'), open('b'), delta('b', 'Tw'), delta('b', 'o.')])
const snapshot = toSnapshot(applyAll(emptyTranscript(), events.slice(0, 5)), { projectId: 'p' })

test('a transcript that grows, whose unchanged entries stay the same objects', async () => {
  await using server = await openServer()
  using store = openStore(server)
  expect(store.state()).toEqual({ status: 'connecting', attempt: 0 })
  expect(store.isLoaded()).toBe(false)
  expect(store.get()).toEqual(emptyTranscript('s'))
  const visit = await server.visit()
  visit.send(frame(snapshot))
  await until(store.isLoaded)
  const before = store.get()
  expect(textsIn(before)).toEqual(['assistant: One.', 'assistant: Tw'])
  expect(store.get()).toBe(before)
  visit.send(frames(...events))
  await until(() => store.get() !== before)
  expect(textsIn(store.get())).toEqual(['assistant: One.', 'assistant: Two.'])
  expect(store.get()).toEqual(applyAll(emptyTranscript(), events))
  expect(entriesOf(store.get())[0]).toBe(entriesOf(before)[0])
})

test('subscribers are told once for what came together, and not after they left', async () => {
  await using server = await openServer()
  using store = openStore(server)
  const told: string[] = []
  const note = () => told.push(`${store.state().status} ${store.get().seq}`)
  const undo = store.subscribe(note)
  const undoAgain = store.subscribe(note)
  undoAgain()
  const visit = await server.visit()
  visit.send(frames(snapshotAt(0), ...events))
  await until(() => told.includes('live 6'))
  visit.send(frames(...stampAll([...events, end])))
  await until(() => told.includes('live 7'))
  expect(told).toEqual(['connecting 0', 'live 0', 'live 6', 'live 7'])
  undo()
  visit.send(frame(eventAt(8)))
  await until(() => store.get().seq === 8)
  expect(told).toHaveLength(4)
})

test('subscribers can be told when it suits them', async () => {
  await using server = await openServer()
  const due: (() => void)[] = []
  using store = openStore(server, { schedule: (tell) => due.push(tell) })
  let told = 0
  store.subscribe(() => {
    told += 1
  })
  const visit = await server.visit()
  visit.send(frames(snapshotAt(0), ...events))
  await until(() => store.get().seq === 6)
  expect([due.length, told]).toEqual([1, 0])
  due.shift()?.()
  expect(told).toBe(1)
  visit.send(frame(eventAt(7)))
  await until(() => due.length === 1)
})

test('a broken connection changes nothing that is shown, and what was missed is added', async () => {
  await using server = await openServer()
  using store = openStore(server)
  const first = await server.visit()
  first.send(frame(snapshot))
  await until(store.isLoaded)
  first.cut()
  await until(() => store.state().status === 'waiting')
  expect(textsIn(store.get())).toEqual(['assistant: One.', 'assistant: Tw'])
  store.clock.advance(1000)
  const second = await server.visit()
  expect(second.headers['last-event-id']).toBe('5')
  second.send(frames(resumed(5), ...events.slice(5)))
  await until(() => store.get().seq === 6)
  expect(textsIn(store.get())).toEqual(['assistant: One.', 'assistant: Two.'])
})

test('goes on from a transcript that is there already', async () => {
  await using server = await openServer()
  const seen: string[] = []
  const from = applyAll(emptyTranscript(), events.slice(0, 5))
  using store = openStore(server, {
    from,
    onEvents: (news) => seen.push(...news.map(({ type }) => type)),
  })
  expect(store.isLoaded()).toBe(true)
  expect(store.get()).toBe(from)
  const visit = await server.visit()
  expect(visit.headers['last-event-id']).toBe('5')
  visit.send(frames(resumed(5), ...events.slice(5)))
  await until(() => store.get().seq === 6)
  expect(seen).toEqual(['resume', 'message_update'])
})

test('that it stopped is a state, with the reason', async () => {
  await using server = await openServer()
  using store = openStore(server)
  const told: string[] = []
  store.subscribe(() => told.push(store.state().status))
  const visit = await server.visit()
  visit.json({}, 404)
  await until(() => told.includes('stopped'))
  expect(store.state()).toMatchObject({ status: 'stopped', error: { status: 404 } })
})

test('an event that cannot be folded stops it; nobody else is hurt', async () => {
  await using server = await openServer()
  using store = openStore(server)
  const visit = await server.visit()
  visit.send(frame(snapshotAt(1)), frame({ type: 'tool_result', sessionId: 's', seq: 2 }))
  await until(() => store.state().status === 'stopped')
  expect(store.state()).toMatchObject({ error: { code: 'bad_answer' } })
  await visit.closed
})

test('closed, it keeps what is there and ends its connection', async () => {
  await using server = await openServer()
  using store = openStore(server)
  const visit = await server.visit()
  visit.send(frame(snapshot))
  await until(store.isLoaded)
  store.close()
  await visit.closed
  await until(() => store.state().status === 'stopped')
  expect(store.state()).toEqual({ status: 'stopped' })
  expect(store.get().seq).toBe(5)
})
