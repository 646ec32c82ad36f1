import type { Totals } from '../../events/types.ts'
import type { SessionStore } from '../log.ts'
import { sessionExists, unknownSession } from '../log-fault.ts'
import { patchSession, serializeRecord } from '../records.ts'
import type { SessionRecord } from '../types.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/** Deletes what belongs to a session, and adds what it has used to that of its project. */
export type RemoveRest = (record: SessionRecord, usage: Totals | undefined) => Promise<void>

/** Sessions in the bucket. Lists come from the index. */
export const createSessionStore = (
  { writer, index, lookUp, ensureOpen }: JetStreamContext,
  removeRest: RemoveRest,
): SessionStore => ({
  async create(record) {
    ensureOpen()
    const json = serializeRecord('session', record)
    await writer.change(recordKeys.session(record.id), (text) => {
      if (text !== undefined) throw sessionExists(record.id)
      return json
    })
  },
  async update(id, patch) {
    ensureOpen()
    const stored = await writer.change(recordKeys.session(id), (text) => {
      if (text === undefined) throw unknownSession(id)
      return JSON.stringify(patchSession(JSON.parse(text), patch))
    })
    if (!stored) throw unknownSession(id)
    return JSON.parse(stored.text)
  },
  async get(id) {
    ensureOpen()
    return lookUp(recordKeys.session(id), () => index.sessions.get(id))
  },
  async list(filter) {
    ensureOpen()
    return index.sessions.list(filter)
  },
  async countOf(creatorId) {
    ensureOpen()
    return index.sessions.countOf(creatorId)
  },
  async remove(id, usage) {
    ensureOpen()
    const record = await index.sessions.get(id)
    if (!record) throw unknownSession(id)
    await removeRest(record, usage)
    await writer.change(recordKeys.session(id), () => undefined)
  },
})
