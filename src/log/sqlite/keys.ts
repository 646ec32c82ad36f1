import type { KeyStore } from '../log.ts'
import { keyExists, unknownKey } from '../log-fault.ts'
import type { KeyRecord } from '../types.ts'
import type { SqliteContext } from './context.ts'
import { prepareStatement } from './database.ts'
import { createRecordRows } from './record-rows.ts'
import { withChecksum } from './stored-text.ts'

/** The keys table. */
export const createKeyStore = (context: SqliteContext): KeyStore => {
  const { database, writes, serializer, ensureOpen } = context
  const insert = prepareStatement(
    database,
    'INSERT INTO keys (id, record, checksum) VALUES (?, ?, ?)',
  )
  const update = prepareStatement(database, 'UPDATE keys SET record = ?, checksum = ? WHERE id = ?')
  const { find, has, list } = createRecordRows<KeyRecord>(context, 'key', 'keys')

  /** Changes a timestamp, so the record stays valid and needs no schema. */
  const change = (id: string, changed: (record: KeyRecord) => KeyRecord): Promise<KeyRecord> =>
    writes.add(() => {
      const stored = find(id)
      if (!stored) throw unknownKey(id)
      const record = changed(stored)
      update.run(...withChecksum(JSON.stringify(record)), id)
      return record
    })

  return {
    async create(record) {
      const { id } = record
      const { json, bytes } = serializer.prepare('key', record)
      await writes.addRecord(() => {
        const text = json()
        if (has(id)) throw keyExists(id)
        insert.run(id, ...withChecksum(text))
      }, bytes)
    },
    async get(id) {
      ensureOpen()
      return find(id)
    },
    async list() {
      ensureOpen()
      return list().records
    },
    revoke: (id, at) => change(id, (record) => ({ revokedAt: at, ...record })),
    async touch(id, at) {
      await change(id, (record) => ({ ...record, lastUsedAt: at }))
    },
  }
}
