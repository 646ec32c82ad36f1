import type { KeyStore } from '../log.ts'
import { keyExists, unknownKey } from '../log-fault.ts'
import type { KeyRecord } from '../types.ts'
import type { SqliteContext } from './context.ts'
import { prepare, textIn } from './database.ts'
import { unpack } from './records.ts'

/** The keys table. */
export const createKeys = ({ database, writes, records, ensureOpen }: SqliteContext): KeyStore => {
  const insert = prepare(database, 'INSERT INTO keys (id, record) VALUES (?, ?)')
  const update = prepare(database, 'UPDATE keys SET record = ? WHERE id = ?')
  const select = prepare(database, 'SELECT record FROM keys WHERE id = ?')
  const selectAll = prepare(database, 'SELECT record FROM keys ORDER BY number')

  const find = (id: string): KeyRecord | undefined => {
    const row = select.get(id)
    return row === undefined ? undefined : unpack('key', textIn(row))
  }

  const change = (id: string, changed: (record: KeyRecord) => KeyRecord): Promise<KeyRecord> =>
    // What is changed is a time in a record that was checked.
    writes.add(() => {
      const known = find(id)
      if (!known) throw unknownKey(id)
      const record = changed(known)
      update.run(JSON.stringify(record), id)
      return record
    })

  return {
    async create(record) {
      const { id } = record
      const { text, bytes } = records.take('key', record)
      await writes.addChecked(() => {
        const stored = text()
        if (select.get(id) !== undefined) throw keyExists(id)
        insert.run(id, stored)
      }, bytes)
    },
    async get(id) {
      ensureOpen()
      return find(id)
    },
    async list() {
      ensureOpen()
      return selectAll.all().map((row) => unpack('key', textIn(row)))
    },
    revoke: (id, at) => change(id, (record) => ({ revokedAt: at, ...record })),
    async touch(id, at) {
      await change(id, (record) => ({ ...record, lastUsedAt: at }))
    },
  }
}
