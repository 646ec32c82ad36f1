import type {
  AgentEvent,
  ContextGauge,
  EventOf,
  LedgerState,
  Message,
  ProcessCost,
  ReportedUsage,
  Totals,
} from '../events/types.ts'
import { contextTokens, runFigures } from '../events/usage-sums.ts'
import { ownValue } from '../shared/fields.ts'
import { priceEvent } from './price-event.ts'
import type { Prices } from './prices.ts'
import { addReport, restartCounters, tokensToPrice } from './report.ts'
import { emptySum, type RowSum, withReportedCost } from './row-sums.ts'
import { createUsageRows, type UsageRow, type UsageRows } from './usage-rows.ts'

/** Tokens and cost of one session. */
export interface Ledger {
  /** Adds one event, with `price` applied. Returns true if the usage changed. */
  add(event: AgentEvent): boolean
  /** Adds a stored event as it is: what was not priced then is not priced now. */
  replay(event: AgentEvent): void
  /**
   * The event with the computed cost of its usage, if the agent reports none and the model has a price.
   * Store this event: then a later price list cannot change the amount.
   */
  price(event: AgentEvent): AgentEvent
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
  /** The price lists of the computed amounts in `totals`; undefined if there are none. */
  priceList(): string | undefined
}

/** A ledger as it is stored. */
export interface SavedLedger {
  /** The rows by key, in the order in which they were added. */
  rows: Iterable<readonly [key: string, row: UsageRow]>
  state: LedgerState
}

export interface LedgerOptions {
  /** Prices of models. They are used where the agent reports no cost. */
  prices?: Prices
  /** Continues with this ledger. */
  from?: SavedLedger
}

/** Creates a ledger. It counts a message once: usage of the same message id is replaced. */
export const createLedger = ({ prices, from }: LedgerOptions = {}): Ledger => {
  const state: LedgerState = structuredClone(from?.state ?? initialState)
  const rows = createUsageRows({ rows: from?.rows, state })
  const hasReport = () => (state.processCost ?? state.spent) !== undefined
  const sums = () => rows.sums({ hasReport: hasReport() })
  const withTotals = (own: RowSum, reported: ProcessCost | undefined): Totals => {
    const { unpriced, ...sum } = withReportedCost(own, reported)
    // Without a price list, every model would be named.
    return prices && unpriced ? { ...sum, unpriced } : sum
  }
  const price = (event: AgentEvent): AgentEvent => {
    if (!prices) return event
    const modelOf = (id = '') => ownValue(state.models, id) ?? state.model ?? unknownModel
    const unseenIn = (reported: ReportedUsage) => tokensToPrice(state, rows, reported)
    return priceEvent(event, { prices, modelOf, tokensOf: rows.tokensOf, unseenIn })
  }

  return {
    add: (event) => addEvent(state, rows, price(event)),
    replay: (event) => void addEvent(state, rows, event),
    price,
    nextProcess() {
      state.processes += 1
      restartCounters(state)
      rows.closePeriod()
    },
    save: () => ({ rows: rows.takeChanged(), state: structuredClone(state) }),
    totals() {
      const { spent, processCost } = state
      const latest = processCost ?? spent
      const reported = latest && { ...latest, usd: (spent?.usd ?? 0) + (processCost?.usd ?? 0) }
      return { ...withTotals(sums().all, reported), ...figuresOf(state) }
    },
    byModel() {
      const { byModel } = sums()
      const { modelCosts = {} } = state
      const models = new Set([...byModel.keys(), ...Object.keys(modelCosts)])
      const totalsFor = (model: string) =>
        withTotals(byModel.get(model) ?? emptySum(), ownValue(modelCosts, model))
      return Object.fromEntries([...models].map((model) => [model, totalsFor(model)]))
    },
    context() {
      const { used, contextWindow: window = null } = state
      if (!used) return null
      const percent = window ? Math.round((used.tokens / window) * 1000) / 10 : null
      return { used: used.tokens, window, percent, source: used.source }
    },
    priceList() {
      const { priceLists } = sums().all
      return priceLists.size > 0 ? [...priceLists].join('; ') : undefined
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

const figuresOf = (state: LedgerState): Partial<Totals> => {
  const figures: Partial<Totals> = {}
  for (const figure of runFigures) if (state[figure] !== undefined) figures[figure] = state[figure]
  return figures
}

const unknownModel = 'unknown'

const addDetails = (
  state: LedgerState,
  { nativeId, model, contextWindow }: EventOf<'session_start' | 'session_update'>,
): void => {
  state.nativeId = nativeId ?? state.nativeId
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
    restartCounters(state)
    state.conversation = undefined
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
  const model = message.model ?? state.model ?? unknownModel
  rows.record(messageId, message.usage, model, isCut(message))
  const tokens = contextTokens(message.usage)
  if (parentToolCallId === undefined && tokens > 0) state.used = { tokens, source: 'last_call' }
}

/** A call that was stopped before its final usage was known. Agents leave its cost out. */
const isCut = ({ usage, stopReason = '' }: Message): boolean =>
  usage?.estimated === true && cutReasons.has(stopReason)

const cutReasons: ReadonlySet<string> = new Set(['aborted', 'interrupted', 'abandoned'])

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
