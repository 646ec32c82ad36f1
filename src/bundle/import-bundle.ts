import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { createOpenState } from '../events/open-state.ts'
import { createStamp } from '../events/stamp.ts'
import type { StampedEvent, TurnState } from '../events/types.ts'
import type { Log } from '../log/log.ts'
import type { SessionRecord } from '../log/types.ts'
import { defined } from '../shared/fields.ts'
import { createTurnTracker, withTurnStates } from '../turns/turns.ts'
import type { BundleHeader } from './bundle-lines.ts'
import { BundleError, type BundleLimits, readBundle } from './read-bundle.ts'

export interface ImportOptions {
  now(): number
  limits?: BundleLimits
  /** The key or browser that the session counts for. */
  creatorId?: string | undefined
}

/** How much may be open at once. To close it takes time that grows with its square. */
const maxOpen = 5000
/** How much is appended at once. */
const batchEvents = 500

/**
 * Stores the session of a bundle as a new one, which is read-only. It is hidden until it is complete. If
 * the file is refused, nothing of it stays.
 */
export const importBundle = async (
  log: Log,
  file: Readable,
  options: ImportOptions,
): Promise<SessionRecord> => {
  const id = randomUUID()
  let isCreated = false
  try {
    for await (const step of storeBundle(log, id, file, options)) isCreated ||= step === 'created'
    return await log.sessions.update(id, { removedAt: null })
  } catch (cause) {
    if (isCreated) await log.sessions.remove(id)
    throw cause
  }
}

const storeBundle = async function* (
  log: Log,
  id: string,
  file: Readable,
  { now, limits, creatorId }: ImportOptions,
): AsyncGenerator<'created' | 'stored'> {
  const open = createOpenState()
  let batch: StampedEvent[] = []
  let last = { seq: 0, timestamp: 0 }
  let turn: TurnState = 'idle'
  const store = async () => {
    await log.append(id, batch)
    batch = []
  }
  for await (const item of readBundle(file, limits))
    if (item.kind === 'header') {
      const record = recordOf(id, item.header, now())
      await log.sessions.create({ ...record, ...defined({ creatorId }) })
      yield 'created'
    } else if (item.kind === 'blob') await log.blobs.put(id, item.bytes, item.ref.mimeType)
    else {
      open.push(item.event)
      if (open.size() > maxOpen)
        throw new BundleError(`The file leaves more than ${maxOpen} calls or messages open.`)
      if (item.event.type === 'turn_state') turn = item.event.newState
      batch.push({ ...item.event, sessionId: id })
      last = item.event
      if (batch.length >= batchEvents) await store()
    }
  if (last.seq === 0) throw new BundleError('The file has no events.')
  // The session may have been exported in the middle of a run, whose rest never comes.
  const stamp = createStamp(id, () => last.timestamp, last.seq)
  const turns = createTurnTracker(turn)
  const closing = open.close({
    ...{ reason: 'interrupted', now: last.timestamp },
    errorMessage: 'The file ends in the middle of this run.',
  })
  for (const event of closing)
    for (const each of withTurnStates(event, turns.push(event).events)) {
      batch.push(stamp(each))
      if (batch.length >= batchEvents) await store()
    }
  if (batch.length > 0) await store()
  yield 'stored'
}

/** It counts as removed until it is complete, so what a crash leaves of it is deleted. */
const recordOf = (id: string, { session, redacted }: BundleHeader, now: number): SessionRecord => {
  const { agent, cwd, createdAt, lastActivity = createdAt } = session
  const { name, title, model, permissionMode } = session
  return {
    ...{ id, agent, cwd, state: 'ended', createdAt: now, updatedAt: now },
    lastActivity: Math.min(lastActivity, now),
    ...defined({ name, title, model, permissionMode }),
    removedAt: now,
    imported: { at: now, ...(redacted && { redacted: true }) },
  }
}
