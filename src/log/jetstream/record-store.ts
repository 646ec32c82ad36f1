import type { RecordStore } from '../log.ts'
import { type RecordKind, type RecordOf, serializeRecord } from '../records.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/** Records of one kind in the bucket. */
export const createRecordStore = <Kind extends RecordKind>(
  { writer, lookUp, ensureOpen }: JetStreamContext,
  kind: Kind,
  indexed: RecordStore<RecordOf<Kind> & { id: string }>,
): RecordStore<RecordOf<Kind> & { id: string }> => ({
  async put(record) {
    ensureOpen()
    const json = serializeRecord(kind, record)
    await writer.change(recordKeys.record(kind, record.id), () => json)
  },
  async change(id, change) {
    ensureOpen()
    const stored = await writer.change(recordKeys.record(kind, id), (text) => {
      const before = text === undefined ? undefined : JSON.parse(text)
      const after = change(before)
      return after === undefined || after === before ? text : serializeRecord(kind, after)
    })
    return stored && JSON.parse(stored.text)
  },
  async get(id) {
    ensureOpen()
    const isUsedAtOnce = kind === 'browser'
    return isUsedAtOnce
      ? lookUp(recordKeys.record(kind, id), () => indexed.get(id))
      : indexed.get(id)
  },
  async list() {
    ensureOpen()
    return indexed.list()
  },
  async remove(id) {
    ensureOpen()
    let isStored = false
    await writer.change(recordKeys.record(kind, id), (text) => {
      isStored = text !== undefined
      return undefined
    })
    return isStored
  },
  hasDamage: async () => false,
  removeDamaged: async () => {},
})
