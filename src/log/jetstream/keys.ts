import type { KeyStore } from '../log.ts'
import { keyExists, unknownKey } from '../log-fault.ts'
import { serializeRecord } from '../records.ts'
import type { KeyRecord } from '../types.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/** Keys in the bucket. */
export const createKeyStore = ({
  writer,
  index,
  lookUp,
  ensureOpen,
}: JetStreamContext): KeyStore => {
  const change = async (
    id: string,
    changed: (record: KeyRecord) => KeyRecord,
  ): Promise<KeyRecord> => {
    ensureOpen()
    const stored = await writer.change(recordKeys.key(id), (text) => {
      if (text === undefined) throw unknownKey(id)
      return serializeRecord('key', changed(JSON.parse(text)))
    })
    if (!stored) throw unknownKey(id)
    return JSON.parse(stored.text)
  }
  return {
    async create(record) {
      ensureOpen()
      const json = serializeRecord('key', record)
      await writer.change(recordKeys.key(record.id), (text) => {
        if (text !== undefined) throw keyExists(record.id)
        return json
      })
    },
    async get(id) {
      ensureOpen()
      return lookUp(recordKeys.key(id), () => index.keys.get(id))
    },
    async list() {
      ensureOpen()
      return index.keys.list()
    },
    revoke: (id, at) => change(id, (record) => ({ revokedAt: at, ...record })),
    async touch(id, at) {
      await change(id, (record) => ({ ...record, lastUsedAt: at }))
    },
  }
}
