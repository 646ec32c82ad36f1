import type { ProjectStore } from '../log.ts'
import { projectExists, unknownProject } from '../log-fault.ts'
import { serializeRecord } from '../records.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/** Projects in the bucket. */
export const createProjectStore = ({
  writer,
  index,
  lookUp,
  ensureOpen,
}: JetStreamContext): ProjectStore => ({
  async create(record) {
    ensureOpen()
    const json = serializeRecord('project', record)
    await writer.change(recordKeys.project(record.id), (text) => {
      if (text !== undefined) throw projectExists(record.id)
      return json
    })
  },
  async get(id) {
    ensureOpen()
    return lookUp(recordKeys.project(id), () => index.projects.get(id))
  },
  async list() {
    ensureOpen()
    return index.projects.list()
  },
  async remove(id) {
    ensureOpen()
    await writer.change(recordKeys.project(id), (text) => {
      if (text === undefined) throw unknownProject(id)
      return undefined
    })
  },
})
