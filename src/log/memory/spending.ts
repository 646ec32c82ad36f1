import type { SpendingSums } from '../../events/types.ts'
import { isWithin } from '../log.ts'
import {
  type SpendingField,
  type SpendingQuery,
  type SpendingRange,
  type SpendingRow,
  type SpendingStore,
  spendingStepMs,
} from '../spending.ts'
import {
  addToSums,
  amountNames,
  type CostBasis,
  type ModelSpending,
  noAmounts,
  noSums,
  type SpendingStep,
  type SpendingUpdate,
  spendingChanges,
  stepOf,
} from '../spending-update.ts'
import type { MemoryContext, MemorySpending } from './context.ts'

/** Sums in memory. */
export const createSpendingStore = ({
  spending,
  ensureOpen,
}: Pick<MemoryContext, 'spending' | 'ensureOpen'>): SpendingStore => ({
  async list(query) {
    ensureOpen()
    return listSums(spending, query)
  },
  async span(range = {}) {
    ensureOpen()
    const [all] = listSums(spending, { ...range, by: [] })
    return all && { first: all.first, last: all.last }
  },
  async total(range = {}): Promise<SpendingSums> {
    ensureOpen()
    return listSums(spending, { ...range, by: [] })[0]?.sums ?? noSums()
  },
  async unfilled() {
    ensureOpen()
    return 0
  },
})

/** Adds what an append has used. */
export const addSpending = ({ rows }: MemorySpending, updates: readonly SpendingUpdate[]): void => {
  for (const update of updates)
    for (const change of spendingChanges(update, storedUsage(rows))) {
      const { model, step, basis, isUnpriced } = change
      correctBasis(rows, model, change)
      const key = `${step} ${model}`
      const row = rows.get(key) ?? { ...change, ...noAmounts() }
      for (const name of amountNames) row[name] += change[name]
      rows.set(key, { ...row, basis, isUnpriced })
    }
}

const storedUsage = (rows: ReadonlyMap<string, SpendingStep>): Map<string, ModelSpending> => {
  const models = new Map<string, ModelSpending>()
  for (const row of rows.values()) {
    const sum = models.get(row.model) ?? { ...noAmounts(), basis: 0, isUnpriced: false }
    for (const name of amountNames) sum[name] += row[name]
    sum.basis = sum.basis === null || row.basis === null ? null : Math.max(sum.basis, row.basis)
    sum.isUnpriced ||= row.isUnpriced
    models.set(row.model, sum)
  }
  return models
}

/** No part of the cost of a session is less sure than the whole. */
const correctBasis = (
  rows: ReadonlyMap<string, SpendingStep>,
  model: string,
  { basis, isUnpriced }: CostBasis,
): void => {
  for (const row of rows.values()) {
    if (row.model !== model) continue
    if (basis !== null && (row.basis === null || row.basis > basis)) row.basis = basis
    if (!isUnpriced) row.isUnpriced = false
  }
}

const listSums = (
  spending: readonly MemorySpending[],
  { by, bounds, ...range }: SpendingQuery,
): SpendingRow[] => {
  const found = new Map<string, SpendingRow>()
  for (const session of spending) {
    if (!isInRange(session, range)) continue
    for (const row of session.rows.values()) {
      if (!isInTime(row.step, range)) continue
      const start = bounds ? boundOf(row.step * spendingStepMs, bounds) : row.step * spendingStepMs
      if (start === undefined) continue
      const fields = fieldsOf(session, row.model, start, by)
      const key = JSON.stringify(Object.values(fields))
      const step = row.step * spendingStepMs
      const sum = found.get(key) ?? { ...fields, first: step, last: step, sums: noSums() }
      sum.first = Math.min(sum.first, step)
      sum.last = Math.max(sum.last, step)
      addToSums(sum.sums, row.model, row)
      found.set(key, sum)
    }
  }
  for (const { sums } of found.values()) sums.unpriced.sort()
  return [...found].sort(([left], [right]) => compareKeys(left, right)).map(([, row]) => row)
}

/** The bound that a time follows; undefined if it is not between two. */
const boundOf = (time: number, bounds: readonly number[]): number | undefined => {
  const next = bounds.findIndex((bound) => bound > time)
  return next > 0 ? bounds[next - 1] : undefined
}

const isInRange = (
  { sessionId: id, projectId }: MemorySpending,
  { projectId: wanted, sessionId, within }: SpendingRange,
): boolean =>
  (wanted === undefined || projectId === wanted) &&
  (sessionId === undefined || id === sessionId) &&
  (within === undefined || isWithin({ id, ...(projectId !== '' && { projectId }) }, within))

const isInTime = (step: number, { since, until }: SpendingRange): boolean =>
  (since === undefined || step >= stepOf(since)) && (until === undefined || step < stepOf(until))

const fieldsOf = (
  { sessionId, projectId, agent }: MemorySpending,
  model: string,
  step: number,
  by: readonly SpendingField[],
): Omit<SpendingRow, 'first' | 'last' | 'sums'> => {
  const all: Record<SpendingField, object> = {
    step: { step },
    session: { sessionId },
    project: { projectId },
    agent: { agent },
    model: { model },
  }
  return Object.assign({}, ...by.map((field) => all[field]))
}

/** Compares the fields one by one, as a database does. */
const compareKeys = (left: string, right: string): number => {
  const [mine, others]: unknown[][] = [JSON.parse(left), JSON.parse(right)]
  const at = mine?.findIndex((value, index) => value !== others?.[index]) ?? -1
  const [one, other] = [mine?.[at], others?.[at]]
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : 1
  return 0
}
