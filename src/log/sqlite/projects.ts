import type { ProjectStore } from '../log.ts'
import { projectExists, unknownProject } from '../log-fault.ts'
import type { ProjectRecord } from '../types.ts'
import type { SqliteContext } from './context.ts'
import { prepareStatement } from './database.ts'
import { createRecordRows } from './record-rows.ts'
import { withChecksum } from './stored-text.ts'

/** The projects table. */
export const createProjectStore = (context: SqliteContext): ProjectStore => {
  const { database, writes, serializer, reports, ensureOpen } = context
  const insert = prepareStatement(
    database,
    'INSERT INTO projects (id, record, checksum) VALUES (?, ?, ?)',
  )
  const remove = prepareStatement(database, 'DELETE FROM projects WHERE id = ?')
  const { find, has, list } = createRecordRows<ProjectRecord>(context, 'project', 'projects')

  return {
    async create(record) {
      const { id } = record
      const { json, bytes } = serializer.prepare('project', record)
      await writes.addRecord(() => {
        const text = json()
        if (has(id)) throw projectExists(id)
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
    remove: (id) =>
      writes.add(() => {
        if (!has(id)) throw unknownProject(id)
        remove.run(id)
        reports.forget('project', id)
      }),
  }
}
