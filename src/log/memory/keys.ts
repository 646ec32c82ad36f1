import type { KeyStore } from '../log.ts'
import { keyExists, unknownKey } from '../log-fault.ts'
import { serializeRecord } from '../records.ts'
import type { KeyRecord } from '../types.ts'
import type { MemoryContext } from './context.ts'

/** Keys in memory. */
export const createKeyStore = ({ ensureOpen }: MemoryContext): KeyStore => {
  const texts = new Map<string, string>()

  const change = (id: string, changed: (record: KeyRecord) => KeyRecord): KeyRecord => {
    ensureOpen()
    const text = texts.get(id)
    if (text === undefined) throw unknownKey(id)
    const record = changed(recordOf(text))
    texts.set(id, serializeRecord('key', record))
    return record
  }

  return {
    async create(record) {
      ensureOpen()
      const text = serializeRecord('key', record)
      if (texts.has(record.id)) throw keyExists(record.id)
      texts.set(record.id, text)
    },
    async get(id) {
      ensureOpen()
      const text = texts.get(id)
      return text === undefined ? undefined : recordOf(text)
    },
    async list() {
      ensureOpen()
      return [...texts.values()].map(recordOf)
    },
    revoke: async (id, at) => change(id, (record) => ({ revokedAt: at, ...record })),
    touch: async (id, at) => void change(id, (record) => ({ ...record, lastUsedAt: at })),
  }
}

const recordOf = (text: string): KeyRecord => JSON.parse(text)
