import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { type Log, LogFault, openMemoryLog } from '../../src/log/index.ts'
import { applyEvents, emptyTranscript, toSnapshot } from '../../src/transcript/index.ts'
import {
  close,
  delta,
  end,
  open,
  start,
  text,
  wholeMessage,
  wholeTool,
} from '../transcript/events.ts'
import { openStreams, writerOf } from './open-streams.ts'
import { cursorAfter, isStamped, seqsOf } from './reader.ts'

const run: AgentEvent[] = [
  { type: 'session_start', agent: 'demo', model: 'm' },
  start,
  ...wholeMessage('m1', 'Hello.'),
  ...wholeTool('t1', 'done'),
  end,
]

test('a new client gets a snapshot, then every event after it', async () => {
  const server = await openStreams()
  const write = await server.createSession('s')
  const before = await write(...run, start, open('m2'), delta('m2', 'Of cou'))
  const reader = await server.read('s')
  const [first] = await reader.nextMany(1)
  expect(first?.id).toBe(cursorAfter(before))
  expect(first?.event).toEqual(
    JSON.parse(
      JSON.stringify(
        toSnapshot(applyEvents(emptyTranscript(), before), {
          projectId: 'p',
          cursor: cursorAfter(before),
        }),
      ),
    ),
  )
  const after = await write(delta('m2', 'rse.'), close('m2', [text('Of course.')]), end)
  const rest = await reader.nextMany(3)
  expect(rest.map(({ event }) => event)).toEqual(after)
  expect(rest.map(({ id }) => id)).toEqual(after.map((event) => cursorAfter([event])))
})

test('the head has the headers of an unbuffered event stream', async () => {
  const server = await openStreams()
  await server.createSession('s')
  const { head } = await server.read('s')
  const lines = head.split('\r\n')
  expect(lines[0]).toBe('HTTP/1.1 200 OK')
  expect(lines).toEqual(
    expect.arrayContaining([
      'content-type: text/event-stream',
      'cache-control: no-cache, no-transform',
      'x-accel-buffering: no',
      'connection: close',
    ]),
  )
  expect(head).not.toMatch(/transfer-encoding|content-length|content-encoding/i)
})

test('a session without events has a snapshot too', async () => {
  const server = await openStreams()
  const write = await server.createSession('s')
  const reader = await server.read('s')
  const { id, event } = await reader.next()
  expect(id).toBe('0')
  expect(event).toMatchObject({ type: 'snapshot', sessionId: 's', seq: 0, messages: [] })
  await write(start)
  expect(seqsOf([await reader.next()])).toEqual([1])
})

test('responds 404 if the session does not exist', async () => {
  const server = await openStreams()
  const { head } = await server.read('nobody')
  expect(head).toMatch(/^HTTP\/1.1 404/)
})

test.each(['memory', 'sqlite'] as const)(
  'a client with a cursor gets the events that it missed: %s',
  async (log) => {
    const server = await openStreams({ log })
    const write = await server.createSession('s')
    const events = await write(...run)
    const byHeader = await server.read('s', { lastEventId: '4', after: '1' })
    const [verdict, ...missed] = await byHeader.nextMany(1 + events.length - 4)
    expect(verdict?.event).toEqual({ type: 'resume', verdict: 'ok', after: 4 })
    expect(missed.map(({ event }) => event)).toEqual(events.slice(4))

    const byAddress = await server.read('s', { after: '0' })
    const all = await byAddress.nextMany(1 + events.length)
    expect(seqsOf(all)).toEqual(events.map(({ seq }) => seq))

    const upToDate = await server.read('s', { after: `${events.length}` })
    expect((await upToDate.next()).event).toMatchObject({ verdict: 'ok', after: events.length })
    const next = await write(start)
    for (const reader of [byHeader, byAddress, upToDate])
      expect((await reader.next()).event).toEqual(next[0])
  },
)

test.each([
  ['beyond the end', '99', 99],
  ['no number', 'abc', 0],
  ['several numbers', '1,2', 0],
  ['a negative number', '-1', 0],
  ['too many digits', '1'.repeat(400), 0],
])('a client with an invalid cursor gets a snapshot: %s', async (_, cursor, after) => {
  const server = await openStreams()
  const write = await server.createSession('s')
  const events = await write(...run)
  const reader = await server.read('s', { lastEventId: cursor })
  const [verdict, snapshot] = await reader.nextMany(2)
  expect(verdict?.event).toEqual({ type: 'resume', verdict: 'gap', after })
  expect(snapshot?.event).toMatchObject({ type: 'snapshot', seq: events.length })
  const [next] = await write(start)
  expect((await reader.next()).event).toEqual(next)
})

test('an event that is in the log before it is published is sent once', async () => {
  const server = await openStreams()
  const write = await server.createSession('s')
  const events = await write(...run)
  const ahead = [{ ...start, sessionId: 's', seq: events.length + 1, timestamp: 1 }]
  await server.log.append('s', ahead)
  const reader = await server.read('s', { after: `${ahead[0]?.seq}` })
  expect((await reader.next()).event).toMatchObject({ verdict: 'ok' })
  for (const event of ahead) server.streams.publish(event)
  const later = await writerOf(server, 's', events.length + 1)(...wholeMessage('m9', 'Hi.'))
  expect((await reader.nextMany(2)).map(({ event }) => event)).toEqual(later)
})

test('events larger than a page, with characters of every length, arrive complete', async () => {
  const server = await openStreams({ ringBytes: 16 * 1024 })
  const write = await server.createSession('s')
  const reader = await server.read('s')
  await reader.next()
  const texts = ['x'.repeat(300_000), 'é'.repeat(40_000), '界'.repeat(30_000), '😀'.repeat(20_000)]
  const halves = ['\ud83d', '\ude00', '\u2028', '"\\\n\n']
  const written = await write(
    start,
    open('m'),
    ...[...texts, ...halves].map((each) => delta('m', each)),
  )
  expect((await reader.nextMany(written.length)).map(({ event }) => event)).toEqual(written)
  const again = await server.read('s', { after: '0' })
  const [, ...missed] = await again.nextMany(1 + written.length)
  expect(missed.map(({ event }) => event)).toEqual(written)
})

test('all readers get the same events in the same order', async () => {
  const server = await openStreams()
  const write = await server.createSession('s')
  const readers = await Promise.all(Array.from({ length: 20 }, () => server.read('s')))
  for (const reader of readers) await reader.next()
  for (let turn = 0; turn < 50; turn += 1) await write(...wholeMessage(`m${turn}`, `${turn}`))
  const [first, ...others] = await Promise.all(readers.map((reader) => reader.nextMany(100)))
  expect(seqsOf(first ?? [])).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
  for (const each of others) expect(each).toEqual(first)
})

test('events of one turn are sent with one write', async () => {
  const server = await openStreams()
  const write = await server.createSession('s')
  const reader = await server.read('s')
  await reader.next()
  const chunks: string[] = []
  reader.socket.on('data', (chunk: string) => chunks.push(chunk))
  await write(...run)
  await reader.nextMany(run.length)
  expect(chunks).toHaveLength(1)
})

test('a stream is closed when its access ends', async () => {
  const server = await openStreams()
  const write = await server.createSession('s')
  const reader = await server.read('s')
  await reader.next()
  server.access.abort()
  await reader.ended
  await write(...run)
  expect(seqsOf(reader.frames)).toEqual([])
  expect(server.streams.figures().clients).toBe(0)
  const late = server.read('s')
  await expect(late).rejects.toThrow('the stream ended')
})

test('a server that closes sends a retry hint and stores a snapshot', async () => {
  const server = await openStreams()
  const write = await server.createSession('s')
  const reader = await server.read('s')
  const events = await write(...run)
  await server.streams.close()
  await reader.ended
  expect(reader.text()).toMatch(/\nretry: \d+\n\n$/)
  expect(seqsOf(reader.frames)).toEqual(events.map(({ seq }) => seq))
  expect((await server.log.snapshots.get('s'))?.seq).toBe(events.length)
})

test('the stream of a removed session ends', async () => {
  const server = await openStreams()
  await server.createSession('s')
  const reader = await server.read('s')
  await reader.next()
  server.streams.publishLifecycle({ type: 'session_removed', sessionId: 's' })
  await reader.ended
})

test('a silent stream gets heartbeats of 2 KiB, a busy one fewer', async () => {
  const server = await openStreams({ heartbeatMs: 60 })
  const write = await server.createSession('s')
  const reader = await server.read('s')
  await reader.next()
  const comment = /^:[^\n]*\n\n/m
  const beats = () =>
    reader
      .text()
      .split('\n\n')
      .filter((part) => part.startsWith(':'))
  while (beats().length < 2) await new Promise((resolve) => reader.socket.once('data', resolve))
  expect(reader.text()).toMatch(comment)
  expect(beats().every((beat) => beat.length + 2 === 2048)).toBe(true)
  const before = beats().length
  for (let turn = 0; turn < 20; turn += 1) {
    await write(delta('m', 'x'))
    await reader.next()
  }
  expect(beats().length - before).toBeLessThan(20)
  expect(reader.frames.every(({ event }) => isStamped(event) || event.type === 'snapshot')).toBe(
    true,
  )
})

test('figures count clients, events and bytes', async () => {
  const server = await openStreams()
  const write = await server.createSession('s')
  const readers = await Promise.all([server.read('s'), server.read('s')])
  for (const reader of readers) await reader.next()
  const events = await write(...run)
  for (const reader of readers) await reader.nextMany(events.length)
  const bytes = readers.reduce(
    (sum, reader) => sum + reader.text().length - reader.head.length - 4,
    0,
  )
  expect(server.streams.figures()).toEqual({
    clients: 2,
    connected: 2,
    events: events.length,
    bytes,
    cut: 0,
    behind: 0,
    lagBytes: 0,
  })
  readers[0]?.socket.destroy()
  while (server.streams.figures().clients > 1) await new Promise((resolve) => setImmediate(resolve))
})

test('a log that cannot be read ends the stream and is reported', async () => {
  const memory = await openMemoryLog()
  const errors: unknown[] = []
  let isBroken = false
  const log: Log = {
    ...memory,
    readText(...args) {
      if (isBroken) throw new LogFault('closed', 'broken')
      return memory.readText(...args)
    },
  }
  const server = await openStreams({ log, ringBytes: 4096, onError: (cause) => errors.push(cause) })
  const write = await server.createSession('s')
  await write(...run)
  isBroken = true
  const reader = await server.read('s', { after: '0' })
  await reader.ended
  expect(errors).toMatchObject([{ code: 'closed' }])
  isBroken = false
  const back = await server.read('s', { after: '0' })
  expect(seqsOf(await back.nextMany(1 + run.length))).toHaveLength(run.length)
})
