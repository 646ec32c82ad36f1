import { expect, test } from 'vitest'
import type { FollowOptions } from '../../src/client/index.ts'
import { createClient } from '../../src/client/index.ts'
import { applyEvents, emptyTranscript, entriesOf, toSnapshot } from '../../src/transcript/index.ts'
import { delta, end, open, stampAll, start, wholeMessage } from '../transcript/events.ts'
import { entryLines } from '../transcript/inspect.ts'
import { createClock } from './support/clock.ts'
import { eventAt, frame, frames, resumeAt, snapshotAt } from './support/frames.ts'
import { openScriptedServer, type ScriptedServer } from './support/scripted-server.ts'
import { until } from './support/until.ts'

const openStore = (server: ScriptedServer, options?: FollowOptions) => {
  const clock = createClock()
  const client = createClient({ url: server.url, ...clock.platform })
  const store = client.follow('s', options)
  return { ...store, clock, [Symbol.dispose]: store.close }
}

const events = stampAll([
  start,
  ...wholeMessage('a', 'One.'),
  open('b'),
  delta('b', 'Tw'),
  delta('b', 'o.'),
])
const snapshot = toSnapshot(applyEvents(emptyTranscript(), events.slice(0, 5)), { projectId: 'p' })

test('a transcript grows, and unchanged entries stay the same objects', async () => {
  await using server = await openScriptedServer()
  using store = openStore(server)
  expect(store.state()).toEqual({ status: 'connecting', attempt: 0 })
  expect(store.isLoaded()).toBe(false)
  expect(store.get()).toEqual(emptyTranscript('s'))
  const request = await server.nextRequest()
  request.send(frame(snapshot))
  await until(store.isLoaded)
  const before = store.get()
  expect(entryLines(before)).toEqual(['assistant: One.', 'assistant: Tw'])
  expect(store.get()).toBe(before)
  request.send(frames(...events))
  await until(() => store.get() !== before)
  expect(entryLines(store.get())).toEqual(['assistant: One.', 'assistant: Two.'])
  expect(store.get()).toEqual(applyEvents(emptyTranscript(), events))
  expect(entriesOf(store.get())[0]).toBe(entriesOf(before)[0])
})

test('listeners run once for events that arrive together, and not after they unsubscribe', async () => {
  await using server = await openScriptedServer()
  using store = openStore(server)
  const states: string[] = []
  const note = () => states.push(`${store.state().status} ${store.get().seq}`)
  const undo = store.subscribe(note)
  const undoAgain = store.subscribe(note)
  undoAgain()
  const request = await server.nextRequest()
  request.send(frames(snapshotAt(0), ...events))
  await until(() => states.includes('live 6'))
  request.send(frames(...stampAll([...events, end])))
  await until(() => states.includes('live 7'))
  expect(states).toEqual(['connecting 0', 'live 0', 'live 6', 'live 7'])
  undo()
  request.send(frame(eventAt(8)))
  await until(() => store.get().seq === 8)
  expect(states).toHaveLength(4)
})

test('a schedule decides when listeners run', async () => {
  await using server = await openScriptedServer()
  const due: (() => void)[] = []
  using store = openStore(server, { schedule: (notify) => due.push(notify) })
  let runs = 0
  store.subscribe(() => {
    runs += 1
  })
  const request = await server.nextRequest()
  request.send(frames(snapshotAt(0), ...events))
  await until(() => store.get().seq === 6)
  expect([due.length, runs]).toEqual([1, 0])
  due.shift()?.()
  expect(runs).toBe(1)
  request.send(frame(eventAt(7)))
  await until(() => due.length === 1)
})

test('a broken connection leaves the transcript as it is, and missed events are added later', async () => {
  await using server = await openScriptedServer()
  using store = openStore(server)
  const first = await server.nextRequest()
  first.send(frame(snapshot))
  await until(store.isLoaded)
  first.cut()
  await until(() => store.state().status === 'waiting')
  expect(entryLines(store.get())).toEqual(['assistant: One.', 'assistant: Tw'])
  store.clock.advance(1000)
  const second = await server.nextRequest()
  expect(second.headers['last-event-id']).toBe('5')
  second.send(frames(resumeAt(5), ...events.slice(5)))
  await until(() => store.get().seq === 6)
  expect(entryLines(store.get())).toEqual(['assistant: One.', 'assistant: Two.'])
})

test('continues from a given transcript', async () => {
  await using server = await openScriptedServer()
  const seen: string[] = []
  const from = applyEvents(emptyTranscript(), events.slice(0, 5))
  using store = openStore(server, {
    from,
    onEvents: (batch) => seen.push(...batch.map(({ type }) => type)),
  })
  expect(store.isLoaded()).toBe(true)
  expect(store.get()).toBe(from)
  const request = await server.nextRequest()
  expect(request.headers['last-event-id']).toBe('5')
  request.send(frames(resumeAt(5), ...events.slice(5)))
  await until(() => store.get().seq === 6)
  expect(seen).toEqual(['resume', 'message_update'])
})

test('a refusal is a state, with its reason', async () => {
  await using server = await openScriptedServer()
  using store = openStore(server)
  const statuses: string[] = []
  store.subscribe(() => statuses.push(store.state().status))
  const request = await server.nextRequest()
  request.json({}, 404)
  await until(() => statuses.includes('stopped'))
  expect(store.state()).toMatchObject({ status: 'stopped', error: { status: 404 } })
})

test('an event that cannot be folded stops the stream, and nothing is thrown', async () => {
  await using server = await openScriptedServer()
  using store = openStore(server)
  const request = await server.nextRequest()
  request.send(frame(snapshotAt(1)), frame({ type: 'tool_result', sessionId: 's', seq: 2 }))
  await until(() => store.state().status === 'stopped')
  expect(store.state()).toMatchObject({ error: { code: 'bad_answer' } })
  await request.closed
})

test('close ends the connection and keeps the transcript', async () => {
  await using server = await openScriptedServer()
  using store = openStore(server)
  const request = await server.nextRequest()
  request.send(frame(snapshot))
  await until(store.isLoaded)
  store.close()
  await request.closed
  await until(() => store.state().status === 'stopped')
  expect(store.state()).toEqual({ status: 'stopped' })
  expect(store.get().seq).toBe(5)
})
