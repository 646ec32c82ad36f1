import type { KeyStore } from '../log.ts'
import { keyExists, unknownKey } from '../log-fault.ts'
import type { KeyRecord } from '../types.ts'
import type { SqliteContext } from './context.ts'
import { prepareStatement, textColumn } from './database.ts'

/** The keys table. */
export const createKeyStore = (context: SqliteContext): KeyStore => {
  const { database, writes, serializer, ensureOpen } = context
  const insert = prepareStatement(database, 'INSERT INTO keys (id, record) VALUES (?, ?)')
  const update = prepareStatement(database, 'UPDATE keys SET record = ? WHERE id = ?')
  const select = prepareStatement(database, 'SELECT record FROM keys WHERE id = ?')
  const selectAll = prepareStatement(database, 'SELECT record FROM keys ORDER BY number')

  const find = (id: string): KeyRecord | undefined => {
    const row = select.get(id)
    return row === undefined ? undefined : recordIn(row)
  }

  /** Changes a timestamp, so the record stays valid and needs no schema. */
  const change = (id: string, changed: (record: KeyRecord) => KeyRecord): Promise<KeyRecord> =>
    writes.add(() => {
      const stored = find(id)
      if (!stored) throw unknownKey(id)
      const record = changed(stored)
      update.run(JSON.stringify(record), id)
      return record
    })

  return {
    async create(record) {
      const { id } = record
      const { json, bytes } = serializer.prepare('key', record)
      await writes.addRecord(() => {
        const text = json()
        if (find(id)) throw keyExists(id)
        insert.run(id, text)
      }, bytes)
    },
    async get(id) {
      ensureOpen()
      return find(id)
    },
    async list() {
      ensureOpen()
      return selectAll.all().map(recordIn)
    },
    revoke: (id, at) => change(id, (record) => ({ revokedAt: at, ...record })),
    async touch(id, at) {
      await change(id, (record) => ({ ...record, lastUsedAt: at }))
    },
  }
}

const recordIn = (row: unknown): KeyRecord => JSON.parse(textColumn(row))
