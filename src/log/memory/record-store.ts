import type { RecordStore } from '../log.ts'
import { type RecordKind, type RecordOf, serializeRecord } from '../records.ts'
import type { MemoryContext } from './context.ts'

/** Records of one kind in memory. */
export const createRecordStore = <Kind extends RecordKind>(
  { ensureOpen }: MemoryContext,
  kind: Kind,
): RecordStore<RecordOf<Kind> & { id: string }> => {
  const texts = new Map<string, string>()
  return {
    async put(record) {
      ensureOpen()
      texts.set(record.id, serializeRecord(kind, record))
    },
    async change(id, change) {
      ensureOpen()
      const text = texts.get(id)
      const before = text === undefined ? undefined : JSON.parse(text)
      const after = change(before)
      if (after === undefined || after === before) return before
      texts.set(id, serializeRecord(kind, after))
      return JSON.parse(texts.get(id) ?? '')
    },
    async get(id) {
      ensureOpen()
      const text = texts.get(id)
      return text === undefined ? undefined : JSON.parse(text)
    },
    async list() {
      ensureOpen()
      return [...texts.values()].map((text) => JSON.parse(text))
    },
    async remove(id) {
      ensureOpen()
      return texts.delete(id)
    },
    hasDamage: async () => false,
    removeDamaged: async () => {},
  }
}
