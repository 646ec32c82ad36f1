import type { RecordStore } from '../log.ts'
import type { RecordKind, RecordOf } from '../records.ts'
import type { SqliteContext } from './context.ts'
import { prepareStatement, textColumn } from './database.ts'

/** A table of records of one kind, with the columns `number`, `id` and `record`. */
export const createRecordStore = <Kind extends RecordKind>(
  { database, writes, serializer, ensureOpen }: SqliteContext,
  kind: Kind,
  table: 'browsers' | 'passkeys' | 'settings' | 'trust',
): RecordStore<RecordOf<Kind> & { id: string }> => {
  const upsert = prepareStatement(
    database,
    `INSERT INTO ${table} (id, record) VALUES (?, ?)
     ON CONFLICT (id) DO UPDATE SET record = excluded.record`,
  )
  const select = prepareStatement(database, `SELECT record FROM ${table} WHERE id = ?`)
  const selectAll = prepareStatement(database, `SELECT record FROM ${table} ORDER BY number`)
  const remove = prepareStatement(database, `DELETE FROM ${table} WHERE id = ?`)

  return {
    async put(record) {
      const { id } = record
      const { json, bytes } = serializer.prepare(kind, record)
      await writes.addRecord(() => void upsert.run(id, json()), bytes)
    },
    async get(id) {
      ensureOpen()
      const row = select.get(id)
      return row === undefined ? undefined : JSON.parse(textColumn(row))
    },
    async list() {
      ensureOpen()
      return selectAll.all().map((row) => JSON.parse(textColumn(row)))
    },
    remove: (id) =>
      writes.add(() => {
        const isStored = select.get(id) !== undefined
        if (isStored) remove.run(id)
        return isStored
      }),
  }
}
