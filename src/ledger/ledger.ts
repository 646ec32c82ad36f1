import type { AgentEvent, EventOf } from '../events/event.ts'
import { addTokens, contextTokens, emptyTotals, type Tokens, tokenKinds } from '../events/sum.ts'
import type { ContextGauge, Provenance, ReportedUsage, Totals, Usage } from '../events/usage.ts'
import { type Prices, priceOf } from './prices.ts'
import { difference, shortfall, smaller, sum } from './tokens.ts'

/** What one model call, compaction or report added. */
interface Row {
  model: string
  tokens: Tokens
  costUsd: number | undefined
  cost: Provenance
  /** Its output may still turn out larger. */
  estimated: boolean
}

interface Amount {
  usd: number
  provenance: Provenance
}

export interface LedgerOptions {
  /** Dollars per million tokens, by model: used where the agent names no amount. */
  prices?: Prices
}

const unknownModel = 'unknown'

/**
 * Tokens and money of one session. Idempotent by message id: what is said again replaces
 * what was said before. Where the agent keeps counters of its own, each report tops up what the
 * messages since the last one did not show (hidden calls, final output), so nothing counts twice.
 */
export const createLedger = (options: LedgerOptions = {}) => {
  const rows = new Map<string, Row>()
  /** Rows since the agent’s last report, which that report will have counted. */
  let window = new Set<string>()
  /** The agent’s counters at its last report, by model. */
  let counters: Readonly<Record<string, Usage>> = {}
  /** What earlier processes of the session said in the end, and what this one says. */
  let spent: Amount | undefined
  let processCost: Amount | undefined
  let processes = 1
  let reports = 0
  let compactions = 0
  let model: string | undefined
  /** Models of the messages that have not ended. */
  const modelOf = new Map<string, string>()
  let contextWindow: number | undefined
  let used: { tokens: number; source: ContextGauge['source'] } | undefined

  const put = (key: string, usage: Usage, of: string) => {
    const before = rows.get(key)
    const tokens = tokensOf(usage)
    const output = Math.max(before?.tokens.output ?? 0, tokens.output ?? 0)
    if (tokens.output !== undefined || before?.tokens.output !== undefined) tokens.output = output
    const computed = usage.cost ? undefined : priceOf(options.prices?.[of], tokens)
    // A report has counted what it saw begin, even if it ends later.
    if (!before) window.add(key)
    rows.set(key, {
      model: of,
      tokens,
      costUsd: usage.cost?.total ?? computed,
      cost: usage.cost ? 'reported' : 'computed',
      estimated: usage.estimated === true,
    })
  }

  /** A message says its usage while it streams, so that a report in between finds it counted. */
  const growing = (event: EventOf<'message_update'>) => {
    const update = event.assistantMessageEvent
    if (update.type === 'usage')
      put(event.messageId, update.usage, modelOf.get(event.messageId) ?? model ?? unknownModel)
  }

  const message = (event: EventOf<'message_end'>) => {
    const { message } = event
    modelOf.delete(event.messageId)
    if (message.role !== 'assistant' || !message.usage || message.synthetic) return
    put(event.messageId, message.usage, message.model ?? model ?? unknownModel)
    if (event.parentToolCallId === undefined && contextTokens(message.usage) > 0)
      used = { tokens: contextTokens(message.usage), source: 'last_call' }
  }

  const compaction = (event: EventOf<'compaction_end'>) => {
    compactions += 1
    if (event.usage) put(`compaction ${compactions}`, event.usage, model ?? unknownModel)
    if (event.summary === undefined) return
    used =
      event.tokensAfter === undefined
        ? undefined
        : { tokens: event.tokensAfter, source: 'compaction' }
  }

  const session = (event: EventOf<'session_start' | 'session_update'>) => {
    model = event.model ?? model
    contextWindow = event.contextWindow ?? contextWindow
    if (event.type !== 'session_update') return
    if (event.reset) forget()
    if (event.reported) report(event.reported)
  }

  /** The conversation was cleared: the agent’s counters begin anew, what was spent stays spent. */
  const forget = () => {
    counters = {}
    used = undefined
  }

  const report = (reported: ReportedUsage) => {
    reports += 1
    const added = Object.entries(reported.sinceLast ?? increments(reported.byModel))
    const seen = sumByModel(window)
    // A report may name a model otherwise than its messages do: the sum over all models decides.
    let missing = shortfall(sum(added.map(([, tokens]) => tokens)), sum(seen.values()))
    for (const [name, tokens] of added) {
      const known = seen.get(name) ?? {}
      const unseen = smaller(shortfall(tokens, known), missing)
      missing = shortfall(missing, unseen)
      if (Object.keys(unseen).length > 0)
        rows.set(`report ${reports} ${name}`, reportRow(name, unseen))
      if ((tokens.output ?? 0) >= (known.output ?? 0)) confirm(name)
    }
    window = new Set()
    counters = reported.byModel
    if (reported.costUsd !== undefined) processCost = costOf(reported)
  }

  /**
   * A process that goes on with a session may count the session’s former life into its total;
   * those that do also say what came since their last report.
   */
  const costOf = ({ costUsd = 0, costBasis = 'reported', sinceLast }: ReportedUsage): Amount => {
    if (processes === 1 || !sinceLast) return { usd: costUsd, provenance: costBasis }
    const added = Object.values(sinceLast).reduce((sum, { cost }) => sum + (cost?.total ?? 0), 0)
    return { usd: (processCost?.usd ?? 0) + added, provenance: costBasis }
  }

  /** The report vouches for what the messages of this model said. */
  const confirm = (name: string) => {
    for (const key of window) {
      const row = rows.get(key)
      if (row?.model === name) row.estimated = false
    }
  }

  const increments = (now: Readonly<Record<string, Usage>>): Record<string, Tokens> =>
    Object.fromEntries(
      Object.entries(now).map(([name, usage]) => [name, difference(usage, counters[name] ?? {})]),
    )

  const sumByModel = (keys: Iterable<string>): Map<string, Tokens> => {
    const sums = new Map<string, Tokens>()
    for (const key of keys) {
      const row = rows.get(key)
      if (row) sums.set(row.model, addTokens(sums.get(row.model) ?? {}, row.tokens))
    }
    return sums
  }

  return {
    /** Takes one event in; most say nothing about money. True when the account changed. */
    add(event: AgentEvent): boolean {
      switch (event.type) {
        case 'session_start':
          session(event)
          return false
        case 'session_update':
          session(event)
          return event.reported !== undefined || event.contextWindow !== undefined
        case 'message_start':
          if (event.model !== undefined) modelOf.set(event.messageId, event.model)
          return false
        case 'message_update':
          growing(event)
          return false
        case 'message_end':
          message(event)
          return event.message.usage !== undefined
        case 'compaction_end':
          compaction(event)
          return true
        default:
          return false
      }
    },
    /** The session goes on in another process, whose counters begin anew. */
    nextProcess(): void {
      processes += 1
      if (processCost) spent = { ...processCost, usd: (spent?.usd ?? 0) + processCost.usd }
      processCost = undefined
      counters = {}
      window = new Set()
    },
    totals(): Totals {
      const sum = totalsOf(rows.values())
      const last = processCost ?? spent
      if (!last) return sum
      const costUsd = (spent?.usd ?? 0) + (processCost?.usd ?? 0)
      return { ...sum, costUsd, provenance: { ...sum.provenance, cost: last.provenance } }
    },
    byModel(): Record<string, Totals> {
      const models = new Set([...rows.values()].map((row) => row.model))
      return Object.fromEntries(
        [...models].map((name) => [
          name,
          totalsOf([...rows.values()].filter((row) => row.model === name)),
        ]),
      )
    },
    context(): ContextGauge | null {
      if (!used) return null
      const window = contextWindow ?? null
      const percent = window ? Math.round((used.tokens / window) * 1000) / 10 : null
      return { used: used.tokens, window, percent, source: used.source }
    },
  }
}
export type Ledger = ReturnType<typeof createLedger>

const totalsOf = (rows: Iterable<Row>): Totals => {
  const sum = emptyTotals()
  for (const row of rows) addRow(sum, row)
  return sum
}

const reportRow = (model: string, tokens: Tokens): Row => ({
  model,
  tokens,
  costUsd: undefined,
  cost: 'reported',
  estimated: false,
})

const tokensOf = (usage: Usage): Tokens => addTokens({}, usage)

const addRow = (sum: Totals, row: Row) => {
  for (const kind of tokenKinds) {
    const amount = row.tokens[kind]
    if (amount !== undefined) sum[kind] = (sum[kind] ?? 0) + amount
  }
  if (row.estimated) sum.provenance.tokens = 'estimated'
  if (row.costUsd === undefined) return
  sum.costUsd = (sum.costUsd ?? 0) + row.costUsd
  sum.provenance.cost = sum.provenance.cost === 'computed' ? 'computed' : row.cost
}
