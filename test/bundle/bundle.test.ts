import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { importBundle } from '../../src/bundle/import-bundle.ts'
import { type BundleLimits, bundleLimits } from '../../src/bundle/read-bundle.ts'
import {
  bundleContent,
  bundleFile,
  bundleText,
  type WriteBundleOptions,
} from '../../src/bundle/write-bundle.ts'
import { createStamp } from '../../src/events/stamp.ts'
import type { AgentEvent, StampedEvent } from '../../src/events/types.ts'
import { blobRefOf } from '../../src/log/blobs/blob-ref.ts'
import { extractBlobs } from '../../src/log/blobs/extract-blobs.ts'
import type { Log } from '../../src/log/log.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import type { SessionRecord } from '../../src/log/types.ts'
import { noisePng } from '../support/png.ts'
import { decodeChunks, recording } from '../support/recordings.ts'

const key = `sk-ant-api03-${'aB3dE5fG7hJ9kL1mN2'.repeat(4)}`
const at = 1_700_000_000_000

const record: SessionRecord = {
  ...{ id: 's1', agent: 'pi', cwd: '/home/ann/shop', state: 'idle', name: 'Ann’s shop' },
  ...{ createdAt: at, updatedAt: at, nativeId: 'native', pinned: true, projectId: 'p1' },
}

/** A log with a session of these events. Large payloads are blobs. */
const logWith = async (events: readonly AgentEvent[]): Promise<Log> => {
  const log = await openMemoryLog()
  await log.sessions.create(record)
  const stamp = createStamp(record.id, () => at)
  for (const event of events) {
    const extracted = extractBlobs(event)
    for (const { bytes, ref } of extracted.blobs) await log.blobs.put('s1', bytes, ref.mimeType)
    await log.append(record.id, [stamp(extracted.event)])
  }
  return log
}

const largeOutput: AgentEvent = {
  ...{ type: 'tool_execution_end', toolCallId: 't1', toolName: 'bash' },
  result: `${'x'.repeat(8180)} ${key}\n${'a line of output\n'.repeat(20_000)}`,
}
const image: AgentEvent = {
  type: 'message_end',
  messageId: 'm9',
  message: {
    role: 'user',
    content: [
      { type: 'image', mimeType: 'image/png', data: noisePng(400, 400).toString('base64') },
    ],
  },
}
const recorded = () => decodeChunks('pi', [recording('pi/0.87.1/rpc-tools').bytes()])

const exported = async (log: Log, options: Partial<WriteBundleOptions> = {}): Promise<Buffer> => {
  const content = await bundleContent(log, record, { version: '1.2.3', now: at, ...options })
  return buffer(bundleFile(content))
}

const imported = (log: Log, bytes: Uint8Array, limits: BundleLimits = bundleLimits) =>
  importBundle(log, Readable.from([bytes]), { now: () => at + 1, limits })

const eventsOf = async (log: Log, id: string): Promise<StampedEvent[]> => {
  const events: StampedEvent[] = []
  for await (const event of log.read(id, 0)) events.push(event)
  return events
}

const withoutIds = (events: readonly StampedEvent[]) =>
  events.map(({ sessionId, ...event }) => event)

describe('a round trip', () => {
  test('events and blobs arrive as they were, as a new session that is read-only', async () => {
    const log = await logWith([...recorded(), largeOutput, image])
    const other = await openMemoryLog()
    const found = await imported(other, await exported(log))
    expect(withoutIds(await eventsOf(other, found.id))).toEqual(
      withoutIds(await eventsOf(log, 's1')),
    )
    for (const event of await eventsOf(log, 's1')) {
      const [, hash = ''] = /"hash":"([0-9a-f]{64})"/.exec(JSON.stringify(event)) ?? []
      expect(await other.blobs.get(hash)).toEqual(await log.blobs.get(hash))
    }
    expect(found).toEqual({
      ...{ id: found.id, agent: 'pi', cwd: '/home/ann/shop', name: 'Ann’s shop', state: 'ended' },
      ...{ createdAt: at + 1, updatedAt: at + 1, lastActivity: at, imported: { at: at + 1 } },
    })
  })

  test('the same file can be imported twice', async () => {
    const log = await logWith(recorded())
    const bytes = await exported(log)
    const first = await imported(log, bytes)
    const second = await imported(log, bytes)
    expect(new Set([first.id, second.id, 's1']).size).toBe(3)
  })

  test('a run that was open is closed', async () => {
    const whole = recorded()
    const log = await logWith(
      whole.slice(
        0,
        whole.findIndex(({ type }) => type === 'turn_end'),
      ),
    )
    const other = await openMemoryLog()
    const { id } = await imported(other, await exported(log))
    expect((await eventsOf(other, id)).at(-1)).toMatchObject({
      ...{ type: 'agent_end', interrupted: true },
      errorMessage: 'The file ends in the middle of this run.',
    })
  })
})

test('a redacted file holds no key, also not in blobs, previews and the record', async () => {
  const log = await logWith([...recorded(), largeOutput, image])
  const bytes = await exported(log, { redact: {} })
  const text = gunzipSync(bytes).toString()
  const parts = [...text.matchAll(/"data":"([^"]*)"/g)].map(([, data = '']) =>
    Buffer.from(data, 'base64').toString(),
  )
  for (const part of [text, ...parts]) {
    expect(part).not.toContain(key.slice(0, 11))
    expect(part).not.toContain('/home/ann')
  }
  const other = await openMemoryLog()
  const found = await imported(other, bytes)
  expect(found).toMatchObject({ cwd: '~/shop', imported: { redacted: true } })
  const events = await eventsOf(other, found.id)
  const output = events.find(({ type, seq }) => type === 'tool_execution_end' && seq > 10)
  expect(events.at(-2)).toMatchObject({ blob: { mimeType: 'text/plain' } })
  expect(output).toBeDefined()
  expect(events.at(-1)).toMatchObject({
    message: { content: [{ type: 'image', data: '', mimeType: 'image/png' }] },
  })
})

describe('files of strangers', () => {
  const lines = async (): Promise<string[]> => {
    const text = gunzipSync(await exported(await logWith(recorded().slice(0, 9)))).toString()
    return text.trimEnd().split('\n')
  }
  const packed = (all: readonly string[]) => gzipSync(`${all.join('\n')}\n`)
  const refusal = async (bytes: Uint8Array, limits?: BundleLimits): Promise<string> => {
    const log = await openMemoryLog()
    const message = await imported(log, bytes, limits).then(
      () => 'accepted',
      (cause: unknown) => String(cause),
    )
    // Nothing of it stays.
    expect(await log.sessions.list({ includeRemoved: true })).toEqual([])
    return message
  }

  test.each<[string, (all: string[]) => string[], string]>([
    ['cut off at a line', (all) => all.slice(0, -2), 'cut off'],
    ['without a header', (all) => all.slice(1), 'not a session'],
    ['without a line', () => [''], 'not a session'],
    [
      'of a newer version',
      ([head = '', ...rest]) => [head.replace('"version":1', '"version":2'), ...rest],
      'newer version',
    ],
    ['with an event left out', (all) => all.toSpliced(3, 1), 'Event 3'],
    ['with an event twice', (all) => all.toSpliced(3, 0, all[3] ?? ''), 'Event 4'],
    ['with two headers', (all) => all.toSpliced(2, 0, all[0] ?? ''), 'two headers'],
    ['with more behind its end', (all) => [...all, all[2] ?? ''], 'behind its end'],
    ['with an unknown line', (all) => all.toSpliced(2, 0, '{"type":"code"}'), 'not valid'],
    ['with a line that is no JSON', (all) => all.toSpliced(2, 0, '{"type":'), 'not valid JSON'],
    [
      'with an unknown event',
      (all) =>
        all.with(2, '{"type":"event","event":{"type":"x","seq":2,"sessionId":"s","timestamp":1}}'),
      'Event 2',
    ],
    [
      'with a field of its own',
      (all) =>
        all.map((line) => line.replace('"type":"agent_start"', '"type":"agent_start","own":1')),
      'Event',
    ],
    [
      'with a part of no blob',
      (all) => all.toSpliced(1, 0, '{"type":"part","data":"YQ=="}'),
      'no blob',
    ],
    [
      'with a blob that is not its hash',
      (all) =>
        all.toSpliced(
          1,
          0,
          `{"type":"blob","hash":"${'a'.repeat(64)}","size":1}`,
          '{"type":"part","data":"YQ=="}',
        ),
      'not what its line says',
    ],
    [
      'with a blob that is not complete',
      (all) => all.toSpliced(1, 0, `{"type":"blob","hash":"${'a'.repeat(64)}","size":9}`),
      'not complete',
    ],
    [
      'with a blob that claims to be huge',
      (all) => all.toSpliced(1, 0, `{"type":"blob","hash":"${'a'.repeat(64)}","size":1e15}`),
      'too large',
    ],
    [
      'with a time that no date can have',
      (all) => all.map((line) => line.replace(/"timestamp":\d+/, '"timestamp":9000000000000000')),
      'no valid time',
    ],
    [
      'created at a time that no date can have',
      (all) => all.map((line) => line.replace(/"createdAt":\d+/, '"createdAt":9000000000000000')),
      'header',
    ],
    ['nested very deeply', (all) => all.toSpliced(1, 0, '['.repeat(100_000)), 'too complex'],
  ])('%s', async (_, change, message) => {
    expect(await refusal(packed(change(await lines())))).toMatch(new RegExp(message))
  })

  test('a session was not used later than now, whatever its file says', async () => {
    const all = (await lines()).map((line) =>
      line.replace(/"createdAt":\d+/, '"createdAt":8000000000000000'),
    )
    const found = await imported(await openMemoryLog(), packed(all))
    expect(found.lastActivity).toBe(at + 1)
  })

  test('what was imported can be exported: long lists, and a blob that is not what it claims', async () => {
    const bytes = Buffer.from(`no JSON ${key}`)
    const { hash, size } = blobRefOf(bytes)
    const ref = { hash, size, mimeType: 'application/json' }
    const [header = '', first = ''] = await lines()
    const event = (seq: number, fields: object) => {
      const stamp = { sessionId: 's1', seq, timestamp: at }
      const call = { type: 'tool_call', toolCallId: `t${seq}`, toolName: 'x' }
      return JSON.stringify({ type: 'event', event: { ...call, ...stamp, ...fields } })
    }
    const log = await openMemoryLog()
    const found = await imported(
      log,
      packed([
        header,
        JSON.stringify({ type: 'blob', ...ref }),
        JSON.stringify({ type: 'part', data: bytes.toString('base64') }),
        first,
        event(2, { input: Array.from({ length: 300_000 }, () => 1) }),
        event(3, { input: {}, blob: ref }),
        JSON.stringify({ type: 'end', events: 3, blobs: 1 }),
      ]),
    )
    for (const redact of [undefined, {}]) {
      const options = { version: '1', now: at, ...(redact && { redact }) }
      const content = await bundleContent(log, found, options)
      const text = (await buffer(Readable.from(bundleText(content)))).toString()
      expect(text).toContain('"type":"end"')
      expect(text.includes(bytes.toString('base64'))).toBe(redact === undefined)
    }
  })

  test('a file that is no gzip, and one that is cut off in the middle', async () => {
    expect(await refusal(Buffer.from('hello'))).toContain('not a session')
    const whole = packed(await lines())
    expect(await refusal(whole.subarray(0, whole.length - 20))).toContain('cut off')
  })

  test('a small file that unpacks to a very large one is refused at the limit', async () => {
    const [header = ''] = await lines()
    const bomb = gzipSync(`${header}\n${' '.repeat(20_000_000)}`)
    expect(bomb.length).toBeLessThan(50_000)
    expect(await refusal(bomb, { ...bundleLimits, bytes: 1_000_000 })).toContain('1 MiB, the limit')
    expect(await refusal(packed(await lines()), { ...bundleLimits, events: 3 })).toContain(
      '3 events',
    )
  })

  test('an import that fails halfway leaves nothing', async () => {
    const all = await lines()
    expect(await refusal(packed(all.with(-3, '{}')))).toContain('not valid')
  })
})
