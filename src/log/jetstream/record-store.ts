import type { RecordStore } from '../log.ts'
import { type RecordKind, type RecordOf, serializeRecord } from '../records.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/** Records of one kind in the bucket. */
export const createRecordStore = <Kind extends RecordKind>(
  { writer, ensureOpen }: JetStreamContext,
  kind: Kind,
  indexed: RecordStore<RecordOf<Kind> & { id: string }>,
): RecordStore<RecordOf<Kind> & { id: string }> => ({
  async put(record) {
    ensureOpen()
    const json = serializeRecord(kind, record)
    await writer.change(recordKeys.record(kind, record.id), () => json)
  },
  async get(id) {
    ensureOpen()
    return indexed.get(id)
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
