import { type AgentEvent, createStamp, type Totals } from '../../../src/events/index.ts'
import { openSqliteLog } from '../../../src/log/sqlite/sqlite-log.ts'
import type { LoopRecord } from '../../../src/log/types.ts'

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

/** A paused loop whose model has no price. */
const unpricedLoop: LoopRecord = {
  ...{ id: 'unpriced', name: 'Local model', agent: 'demo', cwd: '/', prompt: 'think' },
  ...{ promise: 'LOOP_COMPLETE', limits: { maxCostUsd: 3 }, state: 'paused', runner: 'server' },
  usage: totalsOf({ id: '', model: 'local/qwen', tokens: 700, hoursAgo: 0 }),
  ...{ createdAt: 1, updatedAt: 1, iterationCount: 1, durationMs: 1000, failures: 0, stale: 0 },
  iterations: [],
}

/** Writes a session that was imported, a loop without prices, and a session whose budget is nearly used. */
export const storeMarked = async (data: string): Promise<void> => {
  const log = await openSqliteLog(data)
  const now = Date.now()
  const session = { agent: 'demo', cwd: data, createdAt: now, updatedAt: now }
  const stored = async (id: string, ...events: AgentEvent[]) => {
    const all: AgentEvent[] = [{ type: 'session_start', agent: 'demo' }, ...events]
    await log.append(id, all.map(createStamp(id, () => now)))
  }
  await log.loops.put(unpricedLoop)
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
