import type { Log } from '../log/log.ts'
import { recordStores } from './record-stores.ts'

/** Whether a log stores anything that a person or an agent made. */
export const hasData = async (log: Log): Promise<boolean> => {
  const stores = recordStores.filter((name) => name !== 'settings')
  const lists = await Promise.all([
    log.sessions.list({ includeRemoved: true, limit: 1 }),
    log.audit.list({ limit: 1 }),
    log.projects.list(),
    log.keys.list(),
    log.ledger.deletedUsage(),
    ...stores.map((name) => log[name].list()),
  ])
  return lists.some(({ length }) => length > 0)
}
