import type { ProjectStore } from '../log.ts'
import { projectExists, unknownProject } from '../log-fault.ts'
import type { SqliteContext } from './context.ts'
import { prepare, textIn } from './database.ts'
import { unpack } from './records.ts'

/** The projects table. */
export const createProjects = ({
  database,
  writes,
  records,
  ensureOpen,
}: SqliteContext): ProjectStore => {
  const insert = prepare(database, 'INSERT INTO projects (id, record) VALUES (?, ?)')
  const select = prepare(database, 'SELECT record FROM projects WHERE id = ?')
  const selectAll = prepare(database, 'SELECT record FROM projects ORDER BY number')
  const take = prepare(database, 'DELETE FROM projects WHERE id = ?')

  return {
    async create(record) {
      const { id } = record
      const { text, bytes } = records.take('project', record)
      await writes.addChecked(() => {
        const stored = text()
        if (select.get(id) !== undefined) throw projectExists(id)
        insert.run(id, stored)
      }, bytes)
    },
    async get(id) {
      ensureOpen()
      const row = select.get(id)
      return row === undefined ? undefined : unpack('project', textIn(row))
    },
    async list() {
      ensureOpen()
      return selectAll.all().map((row) => unpack('project', textIn(row)))
    },
    remove: (id) =>
      writes.add(() => {
        if (select.get(id) === undefined) throw unknownProject(id)
        take.run(id)
      }),
  }
}
