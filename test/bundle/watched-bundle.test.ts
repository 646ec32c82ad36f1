import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { importBundle } from '../../src/bundle/import-bundle.ts'
import { bundleContent, bundleFile } from '../../src/bundle/write-bundle.ts'
import { createStamp } from '../../src/events/stamp.ts'
import type { StampedEvent } from '../../src/events/types.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import { session } from '../log/samples.ts'
import { decodeChunks, recording } from '../support/recordings.ts'

const at = 1_700_000_000_000
const record = session('s1')
const stamp = createStamp(record.id, () => at)
const events = decodeChunks('pi', [recording('pi/0.87.1/rpc-tools').bytes()]).map((event) =>
  stamp(event),
)

/** The text of a file with a session whose events say how far the agent’s file was read. */
const exportedText = async (): Promise<string> => {
  const log = await openMemoryLog()
  await log.sessions.create(record)
  const readUpTo = { offset: 845, tail: 2_294_453_990 }
  await log.append(
    record.id,
    events.map((event) => ({ ...event, readUpTo })),
  )
  const content = await bundleContent(log, record, { version: '1.2.3', now: at })
  return gunzipSync(await buffer(bundleFile(content))).toString()
}

const importedEvents = async (text: string): Promise<StampedEvent[]> => {
  const log = await openMemoryLog()
  const { id } = await importBundle(log, Readable.from([gzipSync(text)]), { now: () => at })
  const found: StampedEvent[] = []
  for await (const event of log.read(id, 0)) found.push({ ...event, sessionId: record.id })
  return found
}

test('a watched session arrives without where the agent’s file was read up to', async () => {
  const text = await exportedText()
  expect(text).not.toContain('readUpTo')
  expect(await importedEvents(text)).toEqual(events)
})

test('a file of an earlier version has it, and can be imported', async () => {
  const text = (await exportedText()).replaceAll('"seq":', '"readUpTo":{"offset":845},"seq":')
  expect(await importedEvents(text)).toEqual(events)
})
