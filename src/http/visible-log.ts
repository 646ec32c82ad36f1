import { isWithin, type Log, type SessionRange } from '../log/log.ts'
import { unknownProject, unknownSession } from '../log/log-fault.ts'
import type { ApprovalRecord } from '../log/types.ts'

/**
 * A log as a key sees it that is restricted to some projects and sessions: everything else is not
 * there. Routes that read sessions, projects, approvals and blobs need no check of their own.
 */
export const visibleLog = (log: Log, range: SessionRange): Log => {
  const findVisible = async (id: string) => {
    const record = await log.sessions.get(id)
    return record && isWithin(record, range) ? record : undefined
  }
  const isVisible = async (id: string): Promise<boolean> => (await findVisible(id)) !== undefined
  const requireVisible = async (id: string): Promise<void> => {
    if (!(await isVisible(id))) throw unknownSession(id)
  }

  return {
    ...log,
    ...visibleEvents(log, isVisible, requireVisible),
    sessions: {
      ...log.sessions,
      get: findVisible,
      list: (filter) => log.sessions.list({ ...filter, within: range }),
      async update(id, patch) {
        await requireVisible(id)
        return log.sessions.update(id, patch)
      },
      async remove(id, usage) {
        await requireVisible(id)
        await log.sessions.remove(id, usage)
      },
    },
    spending: {
      ...log.spending,
      list: (query) => log.spending.list({ ...query, within: range }),
      span: (query) => log.spending.span({ ...query, within: range }),
      total: (query) => log.spending.total({ ...query, within: range }),
    },
    projects: visibleProjects(log, range),
    approvals: visibleApprovals(log, isVisible),
    blobs: {
      ...log.blobs,
      async get(hash) {
        const owners = await Promise.all((await log.blobs.owners(hash)).map(isVisible))
        return owners.includes(true) ? log.blobs.get(hash) : undefined
      },
    },
  }
}

type IsVisible = (sessionId: string) => Promise<boolean>

/** What is stored for each session: of the others, there is nothing. */
const visibleEvents = (
  log: Log,
  isVisible: IsVisible,
  requireVisible: (sessionId: string) => Promise<void>,
): Pick<Log, 'append' | 'read' | 'readText' | 'head' | 'checksumAt' | 'ledger' | 'snapshots'> => {
  const ifVisible = async <Result>(
    sessionId: string,
    read: () => Promise<Result>,
    otherwise: Result,
  ): Promise<Result> => ((await isVisible(sessionId)) ? read() : otherwise)

  return {
    async append(sessionId, events) {
      await requireVisible(sessionId)
      await log.append(sessionId, events)
    },
    async *read(sessionId, after, limit) {
      if (await isVisible(sessionId)) yield* log.read(sessionId, after, limit)
    },
    async *readText(sessionId, after, limit) {
      if (await isVisible(sessionId)) yield* log.readText(sessionId, after, limit)
    },
    head: (sessionId) => ifVisible(sessionId, () => log.head(sessionId), 0),
    checksumAt: (sessionId, seq) =>
      ifVisible(sessionId, () => log.checksumAt(sessionId, seq), undefined),
    ledger: {
      ...log.ledger,
      list: (sessionId) => ifVisible(sessionId, () => log.ledger.list(sessionId), []),
      checkpoint: (sessionId) =>
        ifVisible(sessionId, () => log.ledger.checkpoint(sessionId), undefined),
    },
    snapshots: {
      ...log.snapshots,
      get: (sessionId) => ifVisible(sessionId, () => log.snapshots.get(sessionId), undefined),
    },
  }
}

const visibleProjects = ({ projects }: Log, range: SessionRange): Log['projects'] => ({
  ...projects,
  get: async (id) => (range.projects.includes(id) ? projects.get(id) : undefined),
  list: async () => (await projects.list()).filter(({ id }) => range.projects.includes(id)),
  async remove(id) {
    if (!range.projects.includes(id)) throw unknownProject(id)
    await projects.remove(id)
  },
})

const visibleApprovals = ({ approvals }: Log, isVisible: IsVisible): Log['approvals'] => {
  const onlyVisible = async (records: readonly ApprovalRecord[]): Promise<ApprovalRecord[]> => {
    const visible = await Promise.all(records.map(({ sessionId }) => isVisible(sessionId)))
    return records.filter((_, index) => visible[index])
  }
  return {
    ...approvals,
    async get(approvalId) {
      const record = await approvals.get(approvalId)
      return record && (await isVisible(record.sessionId)) ? record : undefined
    },
    list: async (filter) => onlyVisible(await approvals.list(filter)),
  }
}
