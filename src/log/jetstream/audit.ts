import type { AuditEntry } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { AuditStore } from '../audit-store.ts'
import { serializeRecord } from '../records.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/**
 * The audit in the bucket: a record per entry, with its number as the key. A number is taken once, so that all
 * nodes have the same entries in the same order.
 */
export const createAuditStore = ({
  writer,
  index,
  node,
  ensureOpen,
}: JetStreamContext): AuditStore => {
  let queue: Promise<unknown> = Promise.resolve()

  const lastNumber = async (): Promise<number> => (await index.audit.list({ limit: 1 }))[0]?.id ?? 0

  /** Stores an entry under a number. False: another one has it. */
  const take = async (id: number, json: string): Promise<boolean> => {
    let isTaken = false
    await writer.change(recordKeys.record('audit', String(id)), (text) => {
      isTaken = text !== undefined
      return text ?? json
    })
    return !isTaken
  }

  const add = async (json: string): Promise<AuditEntry> => {
    let id = (await lastNumber()) + 1
    // Always higher: the index may not know an entry that the bucket has.
    while (!(await take(id, json))) id = Math.max(id, await lastNumber()) + 1
    return { id, ...JSON.parse(json) }
  }

  return {
    async append(entry) {
      ensureOpen()
      const json = serializeRecord('audit', { ...entry, ...defined({ node }) })
      const added = queue.then(() => add(json))
      queue = added.catch(() => {})
      return added
    },
    async put({ id, ...entry }) {
      ensureOpen()
      await take(id, serializeRecord('audit', entry))
    },
    async list(filter) {
      ensureOpen()
      return index.audit.list(filter)
    },
  }
}
