import { type KeyRecord, keyRecord } from '../key-record.ts'
import type { KeyStore } from '../log.ts'
import { keyExists, unknownKey } from '../log-fault.ts'
import { pack, unpack } from '../stored.ts'
import type { Base } from './base.ts'
import { prepare, textIn } from './database.ts'

/** The keys table. */
export const createKeys = ({ database, writes, ensureOpen }: Base): KeyStore => {
  const insert = prepare(database, 'INSERT INTO keys (id, record) VALUES (?, ?)')
  const update = prepare(database, 'UPDATE keys SET record = ? WHERE id = ?')
  const select = prepare(database, 'SELECT record FROM keys WHERE id = ?')
  const selectAll = prepare(database, 'SELECT record FROM keys ORDER BY number')

  const find = (id: string): KeyRecord | undefined => {
    const row = select.get(id)
    return row === undefined ? undefined : unpack(keyRecord, textIn(row))
  }

  const change = (id: string, changed: (record: KeyRecord) => KeyRecord): Promise<KeyRecord> =>
    writes.add(() => {
      const known = find(id)
      if (!known) throw unknownKey(id)
      const record = changed(known)
      update.run(pack(keyRecord, record), id)
      return record
    })

  return {
    async create(record) {
      const text = pack(keyRecord, record)
      await writes.add(() => {
        if (select.get(record.id) !== undefined) throw keyExists(record.id)
        insert.run(record.id, text)
      }, text.length)
    },
    async get(id) {
      ensureOpen()
      return find(id)
    },
    async list() {
      ensureOpen()
      return selectAll.all().map((row) => unpack(keyRecord, textIn(row)))
    },
    revoke: (id, at) => change(id, (record) => ({ revokedAt: at, ...record })),
    async touch(id, at) {
      await change(id, (record) => ({ ...record, lastUsedAt: at }))
    },
  }
}
