import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { formatCursors } from '../../src/api/cursors.ts'
import type { ManyEvent } from '../../src/client/stream-events.ts'
import { delta, end, start, wholeMessage } from '../transcript/events.ts'
import { openStreams, type WriteEvents } from './open-streams.ts'
import { createParser, cursorAfter, type Frame, isStamped } from './reader.ts'

const sessionOf = (event: ManyEvent): string | undefined =>
  'seq' in event ? event.sessionId : undefined

/** The seq of the last snapshot or event of a session. */
const lastSeqOf = (frames: readonly Frame[], id: string): number | undefined => {
  const last = frames.findLast(({ event }) => sessionOf(event) === id)?.event
  return last && 'seq' in last ? last.seq : undefined
}

const seqsOfSession = (frames: readonly Frame[], id: string): number[] =>
  frames.flatMap(({ event }) => (isStamped(event) && event.sessionId === id ? [event.seq] : []))

test('every frame of a session has the cursors of all sessions up to it', async () => {
  const server = await openStreams()
  const [writeA, writeB] = [await server.createSession('a'), await server.createSession('b')]
  const reader = await server.readMany(['a', 'b'])
  await reader.nextMany(3)
  for (let at = 1; at <= 5; at += 1) {
    await Promise.all([writeA(...wholeMessage(`a${at}`, 'x')), writeB(delta('b', 'y'))])
    await turn()
  }
  const cursors = new Map([
    ['a', '0'],
    ['b', '0'],
  ])
  const frames = (await reader.nextMany(15)).filter(({ event }) => isStamped(event))
  for (const { id, event } of frames) {
    if (isStamped(event)) cursors.set(event.sessionId, cursorAfter([event]))
    expect(id).toBe(formatCursors(cursors))
  }
})

test('a plain EventSource that is cut at any byte sees each event once', async () => {
  const server = await openStreams()
  const ids = ['a', 'b', 'c']
  const writes: WriteEvents[] = []
  for (const id of ids) writes.push(await server.createSession(id))
  for (const write of writes) await write(start)
  const reader = await server.readMany(ids)
  await reader.nextMany(4)
  const written = await Promise.all(
    writes.map((write, at) => write(...wholeMessage(`m${at}`, 'ü🙂'), delta('n', 'y'), end)),
  )
  while (ids.some((id) => seqsOfSession(reader.frames, id).length < 4)) await reader.next()
  const body = Buffer.from(reader.text().slice(reader.head.length + 4))

  /** The frames in the first bytes of the response, as a browser dispatches them. */
  const framesIn = (bytes: number) => createParser().push(body.subarray(0, bytes).toString())
  /** What a browser has when it was cut after some frames, and reads on from its last id. */
  const seenAfter = async (frames: readonly Frame[]): Promise<number[][]> => {
    const lastEventId = frames.findLast(({ id }) => id !== undefined)?.id
    const next = await server.readMany(ids, lastEventId === undefined ? {} : { lastEventId })
    const isComplete = () => {
      const all = [...frames, ...next.frames]
      return ids.every((id) => lastSeqOf(all, id) === 5)
    }
    while (!isComplete()) await next.next()
    next.socket.destroy()
    return ids.map((id) => {
      const all = [...frames, ...next.frames].filter(({ event }) => sessionOf(event) === id)
      const snapshot = all.findLastIndex(({ event }) => event.type === 'snapshot')
      return all.slice(snapshot).map(({ event }) => ('seq' in event ? event.seq : 0))
    })
  }

  const checked = new Set<number>()
  for (let bytes = 0; bytes <= body.length; bytes += 1) {
    const frames = framesIn(bytes)
    if (checked.has(frames.length)) continue // the browser has the same as one byte before
    checked.add(frames.length)
    for (const seqs of await seenAfter(frames)) expect([[1, 2, 3, 4, 5], [5]]).toContainEqual(seqs)
  }
  expect(checked.size).toBeGreaterThan(4 + written.flat().length)
})

test('with more than 16 sessions, every write that moves a cursor ends with all cursors', async () => {
  const server = await openStreams()
  const ids = Array.from({ length: 17 }, (_, at) => `s${at}`)
  const writes: WriteEvents[] = []
  for (const id of ids) writes.push(await server.createSession(id))
  const reader = await server.readMany(ids)
  await reader.nextMany(18)
  expect(reader.frames.at(-1)?.id).toBe(ids.map((id) => `${id}:0`).join(','))
  const chunks: string[] = []
  reader.socket.on('data', (chunk: string) => chunks.push(chunk))
  await Promise.all(writes.map((write) => write(...wholeMessage('m', 'x'))))
  await reader.nextMany(34)
  const all = ids.map((id) => `${id}:\\d+(?:-[0-9a-f]{8})?`).join(',')
  for (const chunk of chunks) expect(chunk).toMatch(new RegExp(`\nid: ${all}\n\n$`))
})
