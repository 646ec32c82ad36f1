import { type AgentEvent, createStamp, type Totals } from '../../../src/events/index.ts'
import { openSqliteLog } from '../../../src/log/sqlite/sqlite-log.ts'

const hourMs = 3_600_000

/** What a session in the log has used. */
export interface StoredUse {
  id: string
  agent?: string
  model: string
  /** Undefined if no price is known. */
  costUsd?: number
  tokens: number
  /** How many hours ago the usage was recorded. */
  hoursAgo: number
}

const totalsOf = ({ tokens, costUsd, model }: StoredUse): Totals => ({
  input: tokens,
  output: Math.round(tokens / 10),
  cacheRead: 0,
  cacheWrite: 0,
  costUsd: costUsd ?? null,
  provenance: { tokens: 'reported', cost: costUsd === undefined ? null : 'computed' },
  ...(costUsd === undefined && { unpriced: [model] }),
})

/** Writes sessions that have cost something into a data directory, as a server would. */
export const storeUses = async (data: string, ...uses: StoredUse[]): Promise<void> => {
  const log = await openSqliteLog(data)
  for (const use of uses) {
    const at = Date.now() - use.hoursAgo * hourMs
    const times = { createdAt: at, updatedAt: at }
    const { id, agent = 'demo' } = use
    await log.sessions.create({ id, agent, cwd: data, name: id, state: 'idle', ...times })
    const totals = totalsOf(use)
    const events: AgentEvent[] = [
      { type: 'session_start', agent },
      { type: 'usage_update', totals, byModel: { [use.model]: totals }, context: null },
    ]
    await log.append(id, events.map(createStamp(id, () => at)))
  }
  await log.close()
}

/** Writes a session that was imported, and one whose budget is nearly used. */
export const storeMarked = async (data: string): Promise<void> => {
  const log = await openSqliteLog(data)
  const now = Date.now()
  const session = { agent: 'demo', cwd: data, createdAt: now, updatedAt: now }
  const stored = async (id: string, ...events: AgentEvent[]) => {
    const all: AgentEvent[] = [{ type: 'session_start', agent: 'demo' }, ...events]
    await log.append(id, all.map(createStamp(id, () => now)))
  }
  const imported = { at: now, redacted: true as const }
  await log.sessions.create({ ...session, id: 'read-only', state: 'ended', imported })
  await stored('read-only')
  await log.sessions.create({ ...session, id: 'nearly-used', state: 'idle' })
  await stored('nearly-used', {
    type: 'budget_update',
    level: 'warning',
    budget: { budgetId: 'own', scope: 'session', measure: 'costUsd', limit: 2, spent: 1.7 },
  })
  await log.close()
}
