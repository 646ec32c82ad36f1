import { expect, test } from 'vitest'
import { eventLines } from '../../src/http/routes/event-text.ts'
import { close, delta, end, open, start, text } from '../transcript/events.ts'
import { openStreams } from './open-streams.ts'

/** At these characters, readers of lines in other languages cut: Python’s `splitlines`, for one. */
const awkward = 'one\u2028two\u2029three\u0085four \\u2028 é 界 😀'
const lineBreaks = /[\u0085\u2028\u2029]/

const run = [start, open('m'), delta('m', awkward), close('m', [text(awkward)]), end]

test('no frame has a line break of Unicode: live, from the log, of a snapshot or an overview', async () => {
  const server = await openStreams()
  const write = await server.createSession('s')
  const live = await server.read('s')
  const all = await server.readMany(['s'])
  await live.next()
  await all.nextMany(2)
  const written = await write(...run)
  expect((await live.nextMany(run.length)).map(({ event }) => event)).toEqual(written)
  await all.nextMany(run.length)
  const late = await server.read('s')
  expect((await late.next()).event).toMatchObject({
    messages: [{ content: [{ text: awkward }] }],
  })
  const resumed = await server.read('s', { after: '0' })
  const [, ...missed] = await resumed.nextMany(1 + run.length)
  expect(missed.map(({ event }) => event)).toEqual(written)
  server.streams.setDegraded(awkward)
  await live.next()
  for (const reader of [live, all, late, resumed]) expect(reader.text()).not.toMatch(lineBreaks)
  expect(live.text()).toContain(String.raw`one\u2028two\u2029three\u0085four`)
})

test('a cursor is that of the stored text, which is not escaped', async () => {
  const server = await openStreams({ ringBytes: 0 })
  const write = await server.createSession('s')
  await write(...run)
  const first = await server.read('s', { after: '0' })
  const frames = await first.nextMany(4)
  const again = await server.read('s', { lastEventId: frames.at(-1)?.id ?? '' })
  expect((await again.next()).event).toMatchObject({ type: 'resume', verdict: 'ok', after: 3 })
})

test('each line of the export is one event', async () => {
  const { log, createSession } = await openStreams()
  const write = await createSession('s')
  const written = await write(...run)
  let exported = ''
  for await (const piece of eventLines(log, 's')) exported += piece
  expect(exported).not.toMatch(lineBreaks)
  const lines = exported.trimEnd().split('\n')
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual(written)
})
