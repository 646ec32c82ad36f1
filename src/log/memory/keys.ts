import { keyRecord } from '../key-record.ts'
import type { KeyStore } from '../log.ts'
import { keyExists, unknownKey } from '../log-fault.ts'
import { pack, unpack } from '../stored.ts'
import type { KeyRecord } from '../types.ts'

/** Keys in memory, in the order in which they were created. */
export const createKeys = (ensureOpen: () => void): KeyStore => {
  const texts = new Map<string, string>()

  const change = (id: string, changed: (record: KeyRecord) => KeyRecord): KeyRecord => {
    ensureOpen()
    const text = texts.get(id)
    if (text === undefined) throw unknownKey(id)
    const record = changed(unpack(keyRecord, text))
    texts.set(id, pack(keyRecord, record))
    return record
  }

  return {
    async create(record) {
      ensureOpen()
      const text = pack(keyRecord, record)
      if (texts.has(record.id)) throw keyExists(record.id)
      texts.set(record.id, text)
    },
    async get(id) {
      ensureOpen()
      const text = texts.get(id)
      return text === undefined ? undefined : unpack(keyRecord, text)
    },
    async list() {
      ensureOpen()
      return [...texts.values()].map((text) => unpack(keyRecord, text))
    },
    revoke: async (id, at) => change(id, (record) => ({ revokedAt: at, ...record })),
    touch: async (id, at) => void change(id, (record) => ({ ...record, lastUsedAt: at })),
  }
}
