import type { EventOf, Provenance, SpendingSums, StampedEvent, Totals } from '../events/types.ts'
import { allTokens, type TokenKind, tokenKinds } from '../events/usage-sums.ts'
import { spendingStepMs } from './spending.ts'

/** What is added up of a model. */
export interface SpendingAmounts extends Record<TokenKind, number> {
  costUsd: number
  calls: number
}

/** Where an amount comes from: an index of `costBases`, so that a weaker one is greater. */
export const costBases = ['reported', 'computed', 'estimated'] as const satisfies Provenance[]

/** How sure a cost is. */
export interface CostBasis {
  /** The weakest origin of the cost, as an index of `costBases`; null while it is unknown. */
  basis: number | null
  /** Whether tokens have no price. */
  isUnpriced: boolean
}

/** What a session has used of one model so far. */
export interface ModelSpending extends SpendingAmounts, CostBasis {}

/** The sums of a session: of one model in one step. */
export interface SpendingStep extends ModelSpending {
  model: string
  step: number
}

/** What an append adds to the sums: the calls that ended, and the usage as of the end of a step. */
export interface SpendingUpdate {
  /** The number of the step since 1970. */
  step: number
  /** Calls that ended in the step, by model. */
  calls: ReadonlyMap<string, number>
  /** The usage of the whole session; undefined if none was recorded in the step. */
  usage: ReadonlyMap<string, ModelSpending> | undefined
}

/** What must be added to the sums of one model in one step. */
export interface SpendingChange extends ModelSpending {
  model: string
  step: number
}

/** The number of the step that a time is in. */
export const stepOf = (time: number): number => Math.floor(time / spendingStepMs)

/** What events add to the sums, by step. Most appends add nothing. */
export const spendingIn = (events: Iterable<StampedEvent>): SpendingUpdate[] => {
  const updates: (SpendingUpdate & { calls: Map<string, number> })[] = []
  for (const event of events) {
    const call = event.type === 'message_end' ? calledModel(event) : undefined
    if (event.type !== 'usage_update' && call === undefined) continue
    const step = stepOf(event.timestamp)
    let last = updates.at(-1)
    if (last?.step !== step) {
      last = { step, calls: new Map(), usage: undefined }
      updates.push(last)
    }
    if (call !== undefined) last.calls.set(call, (last.calls.get(call) ?? 0) + 1)
    // Each has the whole usage of the session, so only the last one of a step counts.
    if (event.type === 'usage_update') last.usage = usageOf(event)
  }
  return updates
}

/** Undefined if the message is no model call, or has no usage. */
const calledModel = ({ message }: EventOf<'message_end'>): string | undefined =>
  message.role === 'assistant' && message.usage && !message.synthetic
    ? (message.model ?? 'unknown')
    : undefined

/**
 * The usage by model. A cost that the agent reports for the session and for no model is that of the
 * only model, or has an empty name: so the sums are what the session has cost.
 */
const usageOf = ({ totals, byModel }: EventOf<'usage_update'>): Map<string, ModelSpending> => {
  const models = new Map(Object.entries(byModel).map(([model, each]) => [model, spendingOf(each)]))
  const known = [...models.values()].reduce((sum, { costUsd }) => sum + costUsd, 0)
  const costUsd = (totals.costUsd ?? known) - known
  const hasRest = Math.abs(costUsd) > negligible
  const rest = { costUsd, basis: basisOf(totals), isUnpriced: false }
  const [only] = models.values()
  if (hasRest && models.size === 1 && only?.basis === null) Object.assign(only, rest)
  else if (hasRest) models.set('', { ...noAmounts(), ...rest })
  const unpriced = new Set(totals.unpriced)
  for (const [model, each] of models)
    each.isUnpriced =
      allTokens(each) > 0 && (unpriced.has(model) || (each.basis === null && !hasRest))
  return models
}

const spendingOf = (totals: Totals): ModelSpending => {
  const amounts = noAmounts()
  for (const kind of tokenKinds) amounts[kind] = finite(totals[kind] ?? 0)
  amounts.costUsd = finite(totals.costUsd ?? 0)
  return { ...amounts, basis: basisOf(totals), isUnpriced: false }
}

const basisOf = ({ costUsd, provenance: { cost } }: Totals): number | null =>
  costUsd === null || cost === null ? null : costBases.indexOf(cost)

const finite = (value: number): number => (Number.isFinite(value) ? value : 0)

export const noAmounts = (): SpendingAmounts => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  webSearchRequests: 0,
  webFetchRequests: 0,
  costUsd: 0,
  calls: 0,
})

/** What is summed up. */
export const amountNames = [...tokenKinds, 'costUsd', 'calls'] as const

/** Sums of fractions differ by less than this, in US dollars. */
const negligible = 1e-9

/**
 * What must be added to the stored sums of a session, so that they are its usage. They are compared
 * with the usage as a whole: what is added twice, or was lost, is corrected by the next update.
 */
export const spendingChanges = (
  { step, calls, usage }: SpendingUpdate,
  stored: ReadonlyMap<string, ModelSpending>,
): SpendingChange[] => {
  const names = new Set([...calls.keys(), ...(usage ? [...usage.keys(), ...stored.keys()] : [])])
  return [...names].flatMap((model) => {
    const before = stored.get(model) ?? { ...noAmounts(), basis: null, isUnpriced: false }
    // A model that the usage no longer has was recorded under another name.
    const now = usage ? (usage.get(model) ?? { ...before, ...noAmounts() }) : before
    const change = { model, step, ...now }
    for (const name of amountNames) change[name] = now[name] - before[name]
    change.calls = calls.get(model) ?? 0
    const isSame =
      amountNames.every((name) => Math.abs(change[name]) < negligible) &&
      now.basis === before.basis &&
      now.isUnpriced === before.isUnpriced
    return isSame ? [] : [change]
  })
}

/** The sums of nothing. */
export const noSums = (): SpendingSums => {
  const { costUsd: _, ...amounts } = noAmounts()
  const costBy = { reported: 0, computed: 0, estimated: 0 }
  return { ...amounts, costUsd: null, costBy, unpriced: [] }
}

/** Adds to sums what was used of a model. */
export const addToSums = (
  sums: SpendingSums,
  model: string,
  { basis, isUnpriced, costUsd, ...amounts }: ModelSpending,
): void => {
  for (const kind of tokenKinds) sums[kind] += amounts[kind]
  sums.calls += amounts.calls
  if (isUnpriced && !sums.unpriced.includes(model)) sums.unpriced.push(model)
  const name = basis === null ? undefined : costBases[basis]
  if (name === undefined) return
  sums.costUsd = (sums.costUsd ?? 0) + costUsd
  sums.costBy[name] += costUsd
}
