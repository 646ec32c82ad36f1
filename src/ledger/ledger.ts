import type { AgentEvent, ContextGauge, EventOf, LedgerState, Totals } from '../events/types.ts'
import { contextTokens } from '../events/usage-sums.ts'
import { ownValue } from '../shared/fields.ts'
import type { Prices } from './prices.ts'
import { addReport } from './report.ts'
import { createUsageRows, totalsOf, type UsageRow, type UsageRows } from './usage-rows.ts'

/** Tokens and cost of one session. */
export interface Ledger {
  /** Adds one event. Returns true if the usage changed. */
  add(event: AgentEvent): boolean
  /** Continues with a new agent process, whose counters start at zero. */
  nextProcess(): void
  /** The state, and the rows that changed since the previous call. */
  save(): SavedLedger
  /** Usage of the whole session. */
  totals(): Totals
  /** Usage of the whole session, by model. */
  byModel(): Record<string, Totals>
  /** How full the context window is; null until it is known. */
  context(): ContextGauge | null
}

/** A ledger as it is stored. */
export interface SavedLedger {
  /** The rows by key, in the order in which they were added. */
  rows: Iterable<readonly [key: string, row: UsageRow]>
  state: LedgerState
}

export interface LedgerOptions {
  /** Token prices by model. They are used where the agent reports no cost. */
  prices?: Prices
  /** Continues with this ledger. */
  from?: SavedLedger
}

/** Creates a ledger. It counts a message once: usage of the same message id is replaced. */
export const createLedger = ({ prices, from }: LedgerOptions = {}): Ledger => {
  const state: LedgerState = structuredClone(from?.state ?? initialState)
  const rows = createUsageRows({ prices, rows: from?.rows, state })

  return {
    add: (event) => addEvent(state, rows, event),
    nextProcess() {
      const { spent, processCost } = state
      state.processes += 1
      if (processCost) state.spent = { ...processCost, usd: (spent?.usd ?? 0) + processCost.usd }
      state.processCost = undefined
      state.counters = {}
      rows.nextPeriod()
    },
    save: () => ({ rows: rows.takeChanged(), state: structuredClone(state) }),
    totals() {
      const { spent, processCost } = state
      const sum = totalsOf(rows.all())
      const last = processCost ?? spent
      if (!last) return sum
      const costUsd = (spent?.usd ?? 0) + (processCost?.usd ?? 0)
      return { ...sum, costUsd, provenance: { ...sum.provenance, cost: last.provenance } }
    },
    byModel() {
      const all = [...rows.all()]
      const models = new Set(all.map((row) => row.model))
      return Object.fromEntries(
        [...models].map((model) => [model, totalsOf(all.filter((row) => row.model === model))]),
      )
    },
    context() {
      const { used, contextWindow: window = null } = state
      if (!used) return null
      const percent = window ? Math.round((used.tokens / window) * 1000) / 10 : null
      return { used: used.tokens, window, percent, source: used.source }
    },
  }
}

const addEvent = (state: LedgerState, rows: UsageRows, event: AgentEvent): boolean => {
  switch (event.type) {
    case 'session_start':
      addDetails(state, event)
      return false
    case 'session_update':
      addDetails(state, event)
      return addSessionUpdate(state, rows, event)
    case 'message_start':
      // Not by assignment: a message may have the id `__proto__`.
      if (event.model !== undefined)
        state.models = { ...state.models, [event.messageId]: event.model }
      return false
    case 'message_update':
      addMessageUpdate(state, rows, event)
      return false
    case 'message_end':
      addMessage(state, rows, event)
      return event.message.usage !== undefined
    case 'compaction_end':
      addCompaction(state, rows, event)
      return true
    default:
      return false
  }
}

const unknownModel = 'unknown'

const addDetails = (
  state: LedgerState,
  { model, contextWindow }: EventOf<'session_start' | 'session_update'>,
): void => {
  state.model = model ?? state.model
  state.contextWindow = contextWindow ?? state.contextWindow
}

const addSessionUpdate = (
  state: LedgerState,
  rows: UsageRows,
  { reset, contextWindow, contextTokens: tokens, reported }: EventOf<'session_update'>,
): boolean => {
  // The conversation was cleared: the agent’s counters start at zero, but the usage stays.
  if (reset) {
    state.counters = {}
    state.used = undefined
  }
  if (tokens !== undefined) state.used = { tokens, source: 'agent' }
  if (reported) addReport(state, rows, reported)
  return reported !== undefined || contextWindow !== undefined || tokens !== undefined
}

/** Counts the usage of a streaming message, so that a report before its end finds it counted. */
const addMessageUpdate = (
  state: LedgerState,
  rows: UsageRows,
  { messageId, assistantMessageEvent: update }: EventOf<'message_update'>,
): void => {
  if (update.type === 'usage')
    rows.record(
      messageId,
      update.usage,
      ownValue(state.models, messageId) ?? state.model ?? unknownModel,
    )
}

const addMessage = (
  state: LedgerState,
  rows: UsageRows,
  { message, messageId, parentToolCallId }: EventOf<'message_end'>,
): void => {
  delete state.models[messageId]
  if (message.role !== 'assistant' || !message.usage || message.synthetic) return
  rows.record(messageId, message.usage, message.model ?? state.model ?? unknownModel)
  const tokens = contextTokens(message.usage)
  if (parentToolCallId === undefined && tokens > 0) state.used = { tokens, source: 'last_call' }
}

const addCompaction = (
  state: LedgerState,
  rows: UsageRows,
  { usage, summary, tokensAfter }: EventOf<'compaction_end'>,
): void => {
  state.compactions += 1
  const { compactions, model = unknownModel } = state
  if (usage) rows.record(`compaction ${compactions}`, usage, model)
  if (summary === undefined) return
  state.used = tokensAfter === undefined ? undefined : { tokens: tokensAfter, source: 'compaction' }
}

const initialState: LedgerState = {
  period: 0,
  counters: {},
  processes: 1,
  reports: 0,
  compactions: 0,
  models: {},
}
