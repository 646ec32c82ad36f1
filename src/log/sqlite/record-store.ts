import type { RecordStore } from '../log.ts'
import type { RecordOf } from '../records.ts'
import type { SqliteContext } from './context.ts'
import { prepareStatement } from './database.ts'
import { createRecordRows } from './record-rows.ts'
import { withChecksum } from './stored-text.ts'

type Kind = 'browser' | 'passkey' | 'setting' | 'trust' | 'loop' | 'budget'

/** A table of records of one kind, with the columns `number`, `id`, `record` and `checksum`. */
export const createRecordStore = <RecordKind extends Kind>(
  context: SqliteContext,
  kind: RecordKind,
  table: 'browsers' | 'passkeys' | 'settings' | 'trust' | 'loops' | 'budgets',
): RecordStore<RecordOf<RecordKind> & { id: string }> => {
  const { database, writes, serializer, reports, ensureOpen } = context
  const upsert = prepareStatement(
    database,
    `INSERT INTO ${table} (id, record, checksum) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET record = excluded.record, checksum = excluded.checksum`,
  )
  const remove = prepareStatement(database, `DELETE FROM ${table} WHERE id = ?`)
  const rows = createRecordRows<RecordOf<RecordKind> & { id: string }>(context, kind, table)

  return {
    async put(record) {
      const { id } = record
      const { json, bytes } = serializer.prepare(kind, record)
      await writes.addRecord(() => void upsert.run(id, ...withChecksum(json())), bytes)
      reports.forget(kind, id)
    },
    change: (id, change) =>
      writes.addRecord(() => {
        const before = rows.find(id)
        const after = change(before)
        if (after === undefined || after === before) return before
        const text = serializer.prepare(kind, after).json()
        upsert.run(id, ...withChecksum(text))
        reports.forget(kind, id)
        return JSON.parse(text)
      }),
    async get(id) {
      ensureOpen()
      return rows.find(id)
    },
    async list() {
      ensureOpen()
      return rows.list().records
    },
    remove: (id) =>
      writes.add(() => {
        const isStored = rows.has(id)
        if (isStored) remove.run(id)
        reports.forget(kind, id)
        return isStored
      }),
    async hasDamage() {
      ensureOpen()
      return rows.list().hasDamage
    },
    removeDamaged: () => writes.add(rows.removeDamaged),
  }
}
