import { isDeepStrictEqual } from 'node:util'
import { allSessions } from '../log/all-sessions.ts'
import type { Log } from '../log/log.ts'
import type { SessionPatch } from '../log/records.ts'
import type { SessionRecord } from '../log/types.ts'
import { failed } from './move-fault.ts'
import type { MoveOptions } from './move-log.ts'

/** How many sessions are copied at the same time: most of the time passes waiting for the cluster. */
const parallel = 8

/** Copies all sessions with what belongs to them. `check` is called between sessions, and may throw. */
export const copySessions = async (
  { from, to, onProgress }: MoveOptions,
  check: () => Promise<void>,
): Promise<void> => {
  const records = (await allSessions(from)).reverse()
  // All are created first, one after the other: lists have the order of creation.
  for (const record of records) await copyRecord(record, to)
  const waiting = [...records]
  let done = 0
  const work = async (): Promise<void> => {
    for (let record = waiting.shift(); record; record = waiting.shift()) {
      await check()
      await copyContent(record.id, from, to)
      done += 1
      onProgress?.({ step: 'sessions', done, sessions: records.length })
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
}

/** Creates a session, or gives it the fields that it has in the source by now. */
const copyRecord = async (record: SessionRecord, to: Log): Promise<void> => {
  const stored = await to.sessions.get(record.id)
  if (!stored) return to.sessions.create(record)
  if (!isDeepStrictEqual(stored, record))
    await to.sessions.update(record.id, patchTo(stored, record))
}

const patchTo = (stored: SessionRecord, record: SessionRecord): SessionPatch => {
  const gone = Object.keys(stored).filter((name) => !(name in record))
  const { id: _, createdAt: __, ...fields } = record
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...fields }
}

const copyContent = async (id: string, from: Log, to: Log): Promise<void> => {
  // Blobs first: an event never refers to one that is not there.
  await copyBlobs(id, from, to)
  await copyEvents(id, from, to)
  await to.moved.completeSums(id)
  for (const approval of await from.approvals.list({ sessionId: id }))
    await to.approvals.put(approval)
  await copyCommands(id, from, to)
  await to.ledger.put(id, await from.ledger.list(id), await from.ledger.checkpoint(id))
  const snapshot = await from.snapshots.get(id)
  if (snapshot) await to.snapshots.put(id, snapshot.seq, snapshot.text)
}

const copyBlobs = async (id: string, from: Log, to: Log): Promise<void> => {
  const stored = new Set(await to.moved.blobsOf(id))
  const isComplete = (await to.head(id)) === (await from.head(id))
  for (const hash of await from.moved.blobsOf(id)) {
    if (isComplete && stored.has(hash)) continue
    const blob = await from.blobs.get(hash)
    if (!blob) throw failed(`The blob ${hash} of session ${id} cannot be read.`)
    await to.blobs.put(id, blob.bytes, blob.mimeType)
  }
}

/** An append is stored as a whole or not at all, so the copy continues after the last stored event. */
const copyEvents = async (id: string, from: Log, to: Log): Promise<void> => {
  for await (const { texts } of from.readText(id, await to.head(id)))
    await to.append(
      id,
      texts.map((text) => JSON.parse(text)),
    )
}

const copyCommands = async (id: string, from: Log, to: Log): Promise<void> => {
  const stored = new Set((await to.commands.list(id)).map((command) => command.id))
  for (const command of await from.commands.list(id))
    if (!stored.has(command.id)) await to.commands.add(command)
  await to.moved.putReceipts(id, await from.moved.receipts(id))
}
