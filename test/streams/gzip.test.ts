import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createGunzip, constants as zlib } from 'node:zlib'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import {
  acceptsGzip,
  createGzip,
  deflateAhead,
  identity,
} from '../../src/streams/connection/encoding.ts'
import { frameOf, type SharedBuffer } from '../../src/streams/fan-out/frame.ts'
import { createRing } from '../../src/streams/fan-out/ring.ts'
import { delta, open, start } from '../transcript/events.ts'
import { openStreams } from './open-streams.ts'
import { createParser, cursorAfter, type Frame, seqsOf } from './reader.ts'

/** What a client reads of a gzip stream that has no end yet. */
const gunzip = async (parts: readonly Buffer[]): Promise<string> => {
  const stream = createGunzip({ finishFlush: zlib.Z_SYNC_FLUSH })
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.end(Buffer.concat(parts))
  await once(stream, 'end')
  return Buffer.concat(chunks).toString()
}

/** A step of a connection: frames are published, bytes are sent to it alone, or it falls behind. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ add: fc.array(fc.string({ maxLength: 400 }), { maxLength: 9 }) }),
  },
  { weight: 1, arbitrary: fc.record({ direct: fc.string({ minLength: 1, maxLength: 5000 }) }) },
  { weight: 2, arbitrary: fc.constant({ fallBehind: true }) },
)

test('a client that joins at any time decompresses the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 60 }),
      fc.array(fc.nat(50), { minLength: 3, maxLength: 3 }),
      async (steps, joins) => {
        const ring = createRing(64 * 1024)
        const readers = joins.map((join) => ({
          join,
          cursor: -1,
          gzip: createGzip(),
          compressed: [] as Buffer[],
          plain: [] as Buffer[],
        }))
        let seq = 0
        for (const [at, each] of steps.entries()) {
          if ('add' in each)
            for (const text of each.add) {
              seq += 1
              ring.add(seq, frameOf(seq, JSON.stringify(text)))
            }
          for (const reader of readers) {
            if (at < reader.join) continue
            if (reader.cursor < 0) reader.cursor = seq
            if ('direct' in each) {
              reader.compressed.push(reader.gzip.encodeDirect(Buffer.from(each.direct)))
              reader.plain.push(identity.encodeDirect(Buffer.from(each.direct)))
            }
            // The first reader falls behind now and then, and gets more at once.
            if ('fallBehind' in each && reader === readers[0]) continue
            for (let chunk = ring.after(reader.cursor); chunk; chunk = ring.after(reader.cursor)) {
              reader.cursor = chunk.last
              reader.compressed.push(reader.gzip.encodeChunk(chunk))
              reader.plain.push(identity.encodeChunk(chunk))
            }
          }
        }
        for (const { compressed, plain } of readers)
          if (compressed.length > 0)
            expect(await gunzip(compressed)).toBe(Buffer.concat(plain).toString())
      },
    ),
    { numRuns: 150 },
  )
})

test.each([
  ['gzip', true],
  ['deflate, gzip;q=0.5, br', true],
  ['GZIP', true],
  ['gzip;q=0', false],
  ['gzip;q=0.0', false],
  ['br', false],
  ['', false],
  [undefined, false],
])('Accept-Encoding %s', (header, wanted) => {
  expect(acceptsGzip(header)).toBe(wanted)
})

const words: AgentEvent[] = Array.from({ length: 60 }, (_, at) => delta('m', `word ${at} 界 `))

test('fetch reads every event as soon as it is sent', async () => {
  const server = await openStreams({ heartbeatMs: 30 })
  const write = await server.createSession('s')
  await write(start, open('m'))
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const response = await fetch(`http://127.0.0.1:${server.port}/s`, {
    headers: { 'Accept-Encoding': 'gzip' },
    signal: stop.signal,
  })
  expect(response.headers.get('content-encoding')).toBe('gzip')
  expect(response.headers.get('vary')).toBe('Accept-Encoding')
  const parser = createParser()
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const next = async (): Promise<Frame[]> => {
    for (;;) {
      const found = parser.push((await reader?.read())?.value ?? '')
      if (found.length > 0) return found
    }
  }
  expect((await next())[0]?.event).toMatchObject({ type: 'snapshot', seq: 2 })
  // One event at a time: each must arrive by itself.
  for (const word of words) {
    const [written] = await write(word)
    expect((await next()).map(({ event }) => event)).toEqual([written])
  }
})

const curl = spawnSync('curl', ['--version']).status === 0
if (!curl) process.stdout.write('skipped: curl is not installed\n')

test.skipIf(!curl)('curl --compressed reads every event as soon as it is sent', async () => {
  const server = await openStreams()
  const write = await server.createSession('s')
  const child = spawn('curl', ['-sN', '--compressed', `http://127.0.0.1:${server.port}/s`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  child.stdout.setEncoding('utf8')
  const parser = createParser()
  const until = async (count: number): Promise<void> => {
    while (parser.frames.length < count) {
      const [chunk]: string[] = await once(child.stdout, 'data')
      parser.push(chunk ?? '')
    }
  }
  await until(1)
  for (const [at, word] of words.slice(0, 20).entries()) {
    await write(word)
    await until(at + 2)
  }
  expect(seqsOf(parser.frames)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
  expect(server.streams.figures().bytes).toBeLessThan(20 * 100)
})

test('a client that does not accept gzip gets plain text', async () => {
  const server = await openStreams()
  await server.createSession('s')
  const { head } = await server.read('s', { headers: { 'Accept-Encoding': 'br, gzip;q=0' } })
  expect(head).not.toMatch(/content-encoding/)
})

test('a large snapshot is compressed once, in another thread', async () => {
  const line: SharedBuffer = { bytes: Buffer.from(`data: ${'words and words '.repeat(50_000)}\n`) }
  const ahead = [deflateAhead(line), deflateAhead(line)]
  expect(line.deflated).toBeUndefined() // the thread is not done yet
  await Promise.all(ahead)
  const readers = [createGzip(), createGzip()]
  const texts = readers.map((gzip, at) => {
    const parts = [gzip.encodeDirect(Buffer.from(`id: ${at}\n`)), gzip.encodeShared(line)]
    expect(parts[1]).toBe(line.deflated)
    return gunzip([...parts, gzip.encodeDirect(Buffer.from('\n'))])
  })
  expect(await Promise.all(texts)).toEqual([`id: 0\n${line.bytes}\n`, `id: 1\n${line.bytes}\n`])
})

test.each(['one session', 'many sessions'] as const)(
  '%s: all clients get the same large snapshot',
  async (kind) => {
    const server = await openStreams()
    const write = await server.createSession('s')
    const events = await write(start, open('m'), delta('m', 'long '.repeat(100_000)))
    const path = kind === 'one session' ? '/s' : '/?sessions=s'
    const read = async (encoding: string): Promise<string> => {
      const stop = new AbortController()
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        headers: { 'accept-encoding': encoding },
        signal: stop.signal,
      })
      expect(answer.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null)
      const decoder = new TextDecoder()
      let text = ''
      for await (const chunk of answer.body ?? []) {
        text += decoder.decode(chunk, { stream: true })
        if (text.includes('"type":"snapshot"') && text.endsWith('\n\n')) break
      }
      return text
    }
    const plain = await read('identity')
    const [frame] = createParser().push(plain).slice(-1)
    expect(frame).toMatchObject({
      id: `${kind === 'one session' ? '' : 's:'}${cursorAfter(events)}`,
      event: { type: 'snapshot' },
    })
    expect(await Promise.all([read('gzip'), read('gzip'), read('gzip')])).toEqual([
      plain,
      plain,
      plain,
    ])
  },
)
