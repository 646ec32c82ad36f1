import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { importBundle } from '../../src/bundle/import-bundle.ts'
import { bundleContent, bundleFile } from '../../src/bundle/write-bundle.ts'
import { createStamp } from '../../src/events/stamp.ts'
import type { Log } from '../../src/log/log.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import type { SessionRecord } from '../../src/log/types.ts'
import { eventually } from '../support/eventually.ts'
import { decodeChunks, recording } from '../support/recordings.ts'

const at = 1_700_000_000_000
const record: SessionRecord = {
  ...{ id: 's1', agent: 'pi', cwd: '/shop', state: 'idle', createdAt: at, updatedAt: at },
}

test('a session that cannot be read to its end fails the export, and nothing else', async () => {
  const log = await openMemoryLog()
  await log.sessions.create(record)
  const stamp = createStamp(record.id, () => at)
  const events = decodeChunks('pi', [recording('pi/0.87.1/rpc-tools').bytes()])
  await log.append(record.id, events.map(stamp))
  let passes = 0
  let isClosed = false
  const source = {
    ...{ head: log.head, blobs: log.blobs },
    async *read(...range: Parameters<Log['read']>) {
      passes += 1
      try {
        for await (const event of log.read(...range)) {
          if (passes > 1 && event.seq > 5) throw new Error('The log is damaged.')
          yield event
        }
      } finally {
        isClosed = passes > 1
      }
    },
  }
  const content = await bundleContent(source, record, { version: '1', now: at })
  await expect(buffer(bundleFile(content))).rejects.toThrow('The log is damaged.')
  await eventually(() => expect(isClosed).toBe(true))
})

test('a file with very many open calls is refused: to close them would take minutes', async () => {
  const log = await openMemoryLog()
  const { id, agent, cwd, createdAt } = record
  const calls = 5001
  const lines = [
    {
      ...{ type: 'header', format: 'sluice-session', version: 1, sluice: '1', exportedAt: at },
      ...{ redacted: false, events: calls, blobs: 0, session: { id, agent, cwd, createdAt } },
    },
    ...Array.from({ length: calls }, (_, index) => ({
      type: 'event',
      event: {
        ...{ type: 'tool_call', toolCallId: `t${index}`, toolName: 'x', input: {} },
        ...{ sessionId: id, seq: index + 1, timestamp: at },
      },
    })),
    { type: 'end', events: calls, blobs: 0 },
  ]
  const file = gzipSync(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
  const result = importBundle(log, Readable.from([file]), { now: () => at })
  await expect(result).rejects.toThrow('more than 5000 calls')
  expect(await log.sessions.list({ includeRemoved: true })).toEqual([])
})
