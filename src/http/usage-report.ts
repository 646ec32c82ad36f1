import type { TurnUsage, UsageEntry, UsageReport } from '../api/types.ts'
import type { Provenance, StampedEvent, Totals, Usage } from '../events/types.ts'
import { allTokens, emptyTotals, runFigures, tokenKinds } from '../events/usage-sums.ts'
import type { Log } from '../log/log.ts'

interface Run {
  startedAt: number
  endedAt?: number
  /** The totals of the session when the run started, and at its last usage update. */
  before: Totals
  totals: Totals
}

/** The tokens and cost of a session, from its events: totals, per model, per run and per message. */
export const usageReportOf = async (log: Log, sessionId: string): Promise<UsageReport> => {
  let totals = emptyTotals()
  let byModel: Record<string, Totals> = {}
  const runs: Run[] = []
  const messages = new Map<string, UsageEntry>()
  // Event by event: a long session is never in memory as a whole.
  for await (const event of log.read(sessionId, 0)) {
    const run = runs.at(-1)
    switch (event.type) {
      case 'agent_start':
        runs.push({ startedAt: event.timestamp, before: totals, totals })
        break
      case 'agent_end':
        if (run) run.endedAt = event.timestamp
        break
      case 'usage_update':
        totals = event.totals
        byModel = event.byModel
        // An update after the end of a run still belongs to that run.
        if (run) run.totals = totals
        break
      case 'message_end':
        addMessage(messages, event)
    }
  }
  const rows = await log.ledger.list(sessionId)
  return {
    sessionId,
    totals,
    byModel,
    turns: runs.map(turnOf),
    entries:
      rows.length > 0 ? rows.map(({ sessionId: _, ...entry }) => entry) : [...messages.values()],
  }
}

const turnOf = ({ startedAt, endedAt, before, totals }: Run): TurnUsage => ({
  startedAt,
  ...(endedAt !== undefined && { endedAt }),
  totals: difference(totals, before),
})

/** What was added since. A later update may correct totals downwards, so nothing goes below zero. */
const difference = (now: Totals, before: Totals): Totals => {
  const added = { ...now }
  for (const kind of [...tokenKinds, ...runFigures])
    if (now[kind] !== undefined) added[kind] = Math.max(0, now[kind] - (before[kind] ?? 0))
  if (now.costUsd !== null) added.costUsd = Math.max(0, now.costUsd - (before.costUsd ?? 0))
  // The calls were cut, and the agent reported no cost for them.
  const isUnknown =
    added.costUsd === 0 && now.provenance.cost === 'estimated' && allTokens(added) > 0
  if (!isUnknown) return added
  return { ...added, costUsd: null, provenance: { ...added.provenance, cost: null } }
}

const costProvenanceOf = (cost: Usage['cost']): Provenance | null => {
  if (!cost) return null
  return cost.priceList === undefined ? 'reported' : 'computed'
}

/** A message that ends twice replaces its entry. */
const addMessage = (
  entries: Map<string, UsageEntry>,
  { messageId, message, timestamp }: Extract<StampedEvent, { type: 'message_end' }>,
): void => {
  const { role, usage, model = 'unknown', synthetic } = message
  if (role !== 'assistant' || !usage || synthetic) return
  const { cost, estimated, totalTokens: _, cacheWrite1h: __, ...tokens } = usage
  entries.set(messageId, {
    key: messageId,
    timestamp,
    model,
    tokens,
    ...(cost && { costUsd: cost.total }),
    ...(cost?.priceList !== undefined && { priceList: cost.priceList }),
    provenance: { tokens: estimated ? 'estimated' : 'reported', cost: costProvenanceOf(cost) },
  })
}
