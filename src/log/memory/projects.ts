import type { ProjectStore } from '../log.ts'
import { projectExists, unknownProject } from '../log-fault.ts'
import { serializeRecord } from '../records.ts'
import type { ProjectRecord } from '../types.ts'
import type { MemoryContext } from './context.ts'

/** Projects in memory. */
export const createProjectStore = ({ ensureOpen }: MemoryContext): ProjectStore => {
  const texts = new Map<string, string>()
  return {
    async create(record) {
      ensureOpen()
      const text = serializeRecord('project', record)
      if (texts.has(record.id)) throw projectExists(record.id)
      texts.set(record.id, text)
    },
    async get(id) {
      ensureOpen()
      const text = texts.get(id)
      return text === undefined ? undefined : recordOf(text)
    },
    async list() {
      ensureOpen()
      return [...texts.values()].map(recordOf)
    },
    async remove(id) {
      ensureOpen()
      if (!texts.delete(id)) throw unknownProject(id)
    },
  }
}

const recordOf = (text: string): ProjectRecord => JSON.parse(text)
