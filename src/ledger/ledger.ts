import type {
  AgentEvent,
  ContextGauge,
  EventOf,
  LedgerState,
  ReportedUsage,
  Totals,
  Usage,
} from '../events/types.ts'
import { addTokens, contextTokens, type Tokens } from '../events/usage-sums.ts'
import { type Prices, priceOf } from './prices.ts'
import { increase, minimum, shortfall, sumTokens } from './token-math.ts'
import { reportRow, tokensOf, totalsOf, type UsageRow } from './usage-row.ts'

type Amount = NonNullable<LedgerState['spent']>

/** An account as it was left. */
export interface SavedLedger {
  /** Every row under its key, in the order in which they were first put. */
  rows: Iterable<readonly [key: string, row: UsageRow]>
  state: LedgerState
}

export interface LedgerOptions {
  /** Dollars per million tokens, by model: used where the agent names no amount. */
  prices?: Prices
  /** Goes on with this account. */
  from?: SavedLedger
}

const unknownModel = 'unknown'

/**
 * Tokens and money of one session. Idempotent by message id: what is said again replaces
 * what was said before. Where the agent keeps counters of its own, each report tops up what the
 * messages since the last one did not show (hidden calls, final output), so nothing counts twice.
 */
export const createLedger = (options: LedgerOptions = {}) => {
  const rows = new Map<string, UsageRow>(options.from?.rows)
  const state: LedgerState = structuredClone(options.from?.state ?? empty)
  /** Rows of this period, which the agent’s next report will have counted. */
  let window = new Set(
    [...rows].flatMap(([key, row]) => (row.period === state.period ? [key] : [])),
  )
  /** Rows that have changed since the account was last saved. */
  let unsaved = new Set<string>()

  const set = (key: string, row: UsageRow) => {
    rows.set(key, row)
    unsaved.add(key)
  }

  /** What was counted so far has been reported. */
  const nextPeriod = () => {
    state.period += 1
    window = new Set()
  }

  const put = (key: string, usage: Usage, of: string) => {
    const before = rows.get(key)
    const tokens = tokensOf(usage)
    const output = Math.max(before?.tokens.output ?? 0, tokens.output ?? 0)
    if (tokens.output !== undefined || before?.tokens.output !== undefined) tokens.output = output
    const computed = usage.cost ? undefined : priceOf(options.prices?.[of], tokens)
    // A report has counted what it saw begin, even if it ends later.
    if (!before) window.add(key)
    set(key, {
      model: of,
      tokens,
      costUsd: usage.cost?.total ?? computed,
      cost: usage.cost ? 'reported' : 'computed',
      estimated: usage.estimated === true,
      period: before?.period ?? state.period,
    })
  }

  /** A message says its usage while it streams, so that a report in between finds it counted. */
  const growing = ({ messageId, assistantMessageEvent: update }: EventOf<'message_update'>) => {
    if (update.type === 'usage')
      put(messageId, update.usage, state.models[messageId] ?? state.model ?? unknownModel)
  }

  const message = (event: EventOf<'message_end'>) => {
    const { message } = event
    delete state.models[event.messageId]
    if (message.role !== 'assistant' || !message.usage || message.synthetic) return
    put(event.messageId, message.usage, message.model ?? state.model ?? unknownModel)
    if (event.parentToolCallId === undefined && contextTokens(message.usage) > 0)
      state.used = { tokens: contextTokens(message.usage), source: 'last_call' }
  }

  const compaction = (event: EventOf<'compaction_end'>) => {
    state.compactions += 1
    const { compactions, model = unknownModel } = state
    if (event.usage) put(`compaction ${compactions}`, event.usage, model)
    if (event.summary === undefined) return
    state.used =
      event.tokensAfter === undefined
        ? undefined
        : { tokens: event.tokensAfter, source: 'compaction' }
  }

  const session = (event: EventOf<'session_start' | 'session_update'>) => {
    state.model = event.model ?? state.model
    state.contextWindow = event.contextWindow ?? state.contextWindow
    if (event.type !== 'session_update') return
    if (event.reset) forget()
    if (event.contextTokens !== undefined)
      state.used = { tokens: event.contextTokens, source: 'agent' }
    if (event.reported) report(event.reported)
  }

  /** The conversation was cleared: the agent’s counters begin anew, what was spent stays spent. */
  const forget = () => {
    state.counters = {}
    state.used = undefined
  }

  const report = (reported: ReportedUsage) => {
    state.reports += 1
    const added = Object.entries(reported.sinceLast ?? increments(reported.byModel))
    const seen = sumByModel(window)
    // A report may name a model otherwise than its messages do: the sum over all models decides.
    let missing = shortfall(sumTokens(added.map(([, tokens]) => tokens)), sumTokens(seen.values()))
    for (const [name, tokens] of added) {
      const known = seen.get(name) ?? {}
      const unseen = minimum(shortfall(tokens, known), missing)
      missing = shortfall(missing, unseen)
      if (Object.keys(unseen).length > 0)
        set(`report ${state.reports} ${name}`, reportRow(name, unseen, state.period))
      if ((tokens.output ?? 0) >= (known.output ?? 0)) confirm(name)
    }
    nextPeriod()
    state.counters = reported.byModel
    if (reported.costUsd !== undefined) state.processCost = costOf(reported)
  }

  /**
   * A process that goes on with a session may count the session’s former life into its total;
   * those that do also say what came since their last report.
   */
  const costOf = ({ costUsd = 0, costBasis = 'reported', sinceLast }: ReportedUsage): Amount => {
    if (state.processes === 1 || !sinceLast) return { usd: costUsd, provenance: costBasis }
    const added = Object.values(sinceLast).reduce((sum, { cost }) => sum + (cost?.total ?? 0), 0)
    return { usd: (state.processCost?.usd ?? 0) + added, provenance: costBasis }
  }

  /** The report vouches for what the messages of this model said. */
  const confirm = (name: string) => {
    for (const key of window) {
      const row = rows.get(key)
      if (row?.model === name && row.estimated) set(key, { ...row, estimated: false })
    }
  }

  const increments = (now: Readonly<Record<string, Usage>>): Record<string, Tokens> =>
    Object.fromEntries(
      Object.entries(now).map(([name, usage]) => [
        name,
        increase(usage, state.counters[name] ?? {}),
      ]),
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
          return isAboutAccount(event)
        case 'message_start':
          if (event.model !== undefined) state.models[event.messageId] = event.model
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
      const { spent, processCost } = state
      state.processes += 1
      if (processCost) state.spent = { ...processCost, usd: (spent?.usd ?? 0) + processCost.usd }
      state.processCost = undefined
      state.counters = {}
      nextPeriod()
    },
    /** The account as it is, and the rows that have changed since this was last asked. */
    save(): SavedLedger {
      const changed = unsaved
      unsaved = new Set()
      return {
        rows: [...rows].filter(([key]) => changed.has(key)),
        state: structuredClone(state),
      }
    },
    totals(): Totals {
      const { spent, processCost } = state
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
      const { used, contextWindow: window = null } = state
      if (!used) return null
      const percent = window ? Math.round((used.tokens / window) * 1000) / 10 : null
      return { used: used.tokens, window, percent, source: used.source }
    },
  }
}
export type Ledger = ReturnType<typeof createLedger>

const isAboutAccount = ({ reported, contextWindow, contextTokens }: EventOf<'session_update'>) =>
  [reported, contextWindow, contextTokens].some((each) => each !== undefined)

const empty: LedgerState = {
  period: 0,
  counters: {},
  processes: 1,
  reports: 0,
  compactions: 0,
  models: {},
}
