import type { ProjectStore } from '../log.ts'
import { projectExists, unknownProject } from '../log-fault.ts'
import { projectRecord } from '../project-record.ts'
import { pack, unpack } from '../stored.ts'
import type { Base } from './base.ts'
import { prepare, textIn } from './database.ts'

/** The projects table. */
export const createProjects = ({ database, writes, ensureOpen }: Base): ProjectStore => {
  const insert = prepare(database, 'INSERT INTO projects (id, record) VALUES (?, ?)')
  const select = prepare(database, 'SELECT record FROM projects WHERE id = ?')
  const selectAll = prepare(database, 'SELECT record FROM projects ORDER BY number')
  const take = prepare(database, 'DELETE FROM projects WHERE id = ?')

  return {
    async create(record) {
      const text = pack(projectRecord, record)
      await writes.add(() => {
        if (select.get(record.id) !== undefined) throw projectExists(record.id)
        insert.run(record.id, text)
      }, text.length)
    },
    async get(id) {
      ensureOpen()
      const row = select.get(id)
      return row === undefined ? undefined : unpack(projectRecord, textIn(row))
    },
    async list() {
      ensureOpen()
      return selectAll.all().map((row) => unpack(projectRecord, textIn(row)))
    },
    remove: (id) =>
      writes.add(() => {
        if (select.get(id) === undefined) throw unknownProject(id)
        take.run(id)
      }),
  }
}
