import type { ProjectStore } from '../log.ts'
import { projectExists, unknownProject } from '../log-fault.ts'
import type { ProjectRecord } from '../types.ts'
import type { SqliteContext } from './context.ts'
import { prepareStatement, textColumn } from './database.ts'

/** The projects table. */
export const createProjectStore = (context: SqliteContext): ProjectStore => {
  const { database, writes, serializer, ensureOpen } = context
  const insert = prepareStatement(database, 'INSERT INTO projects (id, record) VALUES (?, ?)')
  const select = prepareStatement(database, 'SELECT record FROM projects WHERE id = ?')
  const selectAll = prepareStatement(database, 'SELECT record FROM projects ORDER BY number')
  const remove = prepareStatement(database, 'DELETE FROM projects WHERE id = ?')

  return {
    async create(record) {
      const { id } = record
      const { json, bytes } = serializer.prepare('project', record)
      await writes.addRecord(() => {
        const text = json()
        if (select.get(id) !== undefined) throw projectExists(id)
        insert.run(id, text)
      }, bytes)
    },
    async get(id) {
      ensureOpen()
      const row = select.get(id)
      return row === undefined ? undefined : recordIn(row)
    },
    async list() {
      ensureOpen()
      return selectAll.all().map(recordIn)
    },
    remove: (id) =>
      writes.add(() => {
        if (select.get(id) === undefined) throw unknownProject(id)
        remove.run(id)
      }),
  }
}

const recordIn = (row: unknown): ProjectRecord => JSON.parse(textColumn(row))
