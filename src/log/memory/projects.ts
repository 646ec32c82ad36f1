import type { ProjectStore } from '../log.ts'
import { projectExists, unknownProject } from '../log-fault.ts'
import { projectRecord } from '../project-record.ts'
import { pack, unpack } from '../stored.ts'

/** Projects in memory, in the order in which they were created. */
export const createProjects = (ensureOpen: () => void): ProjectStore => {
  const texts = new Map<string, string>()
  return {
    async create(record) {
      ensureOpen()
      const text = pack(projectRecord, record)
      if (texts.has(record.id)) throw projectExists(record.id)
      texts.set(record.id, text)
    },
    async get(id) {
      ensureOpen()
      const text = texts.get(id)
      return text === undefined ? undefined : unpack(projectRecord, text)
    },
    async list() {
      ensureOpen()
      return [...texts.values()].map((text) => unpack(projectRecord, text))
    },
    async remove(id) {
      ensureOpen()
      if (!texts.delete(id)) throw unknownProject(id)
    },
  }
}
