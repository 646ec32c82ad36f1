import type { AuditEntry } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { AuditStore } from '../audit-store.ts'
import { serializeRecord } from '../records.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/**
 * The audit in the bucket: a record per entry, with its number as the key. A number is taken once, and
 * only when the one before is taken, so that all nodes have the same entries in the same order.
 */
export const createAuditStore = ({
  writer,
  index,
  node,
  ensureOpen,
}: JetStreamContext): AuditStore => {
  let queue: Promise<unknown> = Promise.resolve()

  const lastNumber = async (): Promise<number> => (await index.audit.list({ limit: 1 }))[0]?.id ?? 0

  const add = async (json: string): Promise<AuditEntry> => {
    for (;;) {
      const id = (await lastNumber()) + 1
      let isTaken = false
      await writer.change(recordKeys.record('audit', String(id)), (text) => {
        isTaken = text !== undefined
        return text ?? json
      })
      if (!isTaken) return { id, ...JSON.parse(json) }
    }
  }

  return {
    async append(entry) {
      ensureOpen()
      const json = serializeRecord('audit', { ...entry, ...defined({ node }) })
      const added = queue.then(() => add(json))
      queue = added.catch(() => {})
      return added
    },
    async list(filter) {
      ensureOpen()
      return index.audit.list(filter)
    },
  }
}
