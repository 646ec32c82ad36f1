import { dayOf, startOfDay } from '../../budget/day.ts'
import { addSpent, nothingSpent, type Spent, subtractSpent } from '../../budget/limits.ts'
import { allTokens } from '../../events/usage-sums.ts'
import type { SpendingStore } from '../../log/spending.ts'
import type { BudgetRecord } from '../../log/types.ts'
import type { WorkedTime } from './worked-time.ts'

/** What several sessions have used together, as far as budgets count it. */
export interface SharedSums {
  /** Adds a session, which has used this much before. */
  add(session: CountedSession, spent: Spent): void
  /** A session has used this much. Its events may not be stored yet. */
  report(sessionId: string, spent: Spent): void
  /** The log has the usage of a session up to this. */
  stored(sessionId: string, spent: Spent): void
  /** The session leaves memory: the log has all of its usage. */
  remove(sessionId: string): void
  /** What counts for a budget of a project or a day. */
  of(budget: SharedBudget): Spent
  /** Reads the sums from the log. Until then, they can be a little too high. */
  refresh(): Promise<void>
}

export interface CountedSession {
  id: string
  projectId?: string | undefined
}

export type SharedBudget = Pick<BudgetRecord, 'id' | 'scope' | 'projectId'>

export interface SharedSumsOptions {
  spending: Pick<SpendingStore, 'total'>
  worked: WorkedTime
  now(): number
  /** The budgets of projects and days. */
  budgets(): readonly SharedBudget[]
}

interface Entry extends CountedSession {
  /** What the session has used. */
  spent: Spent
  /** What of it the log has. */
  stored: Spent
  /** What of it the sums include. */
  counted: Spent
  isRemoved: boolean
}

interface StoredSum {
  /** Of which day it is. */
  day: string
  spent: Spent
}

export const createSharedSums = (options: SharedSumsOptions): SharedSums => {
  const { worked, now } = options
  const sessions = new Map<string, Entry>()
  /** What the log has, by the id of the budget. */
  const sums = new Map<string, StoredSum>()
  let reading: Promise<void> | undefined
  let next: Promise<void> | undefined

  const read = async (): Promise<void> => {
    const before = [...sessions.values()].map((entry) => ({ ...entry, entry }))
    const day = dayOf(now())
    const read = await Promise.all(
      options.budgets().map(async (budget) => ({ budget, spent: await readSum(options, budget) })),
    )
    // What was stored meanwhile may be in the sums, and is counted twice until they are read again.
    for (const { budget, spent } of read) sums.set(budget.id, { day, spent })
    for (const { entry, stored, isRemoved } of before) {
      entry.counted = stored
      // The session may be in memory again, with an entry of its own.
      if (isRemoved && sessions.get(entry.id) === entry) sessions.delete(entry.id)
    }
  }

  return {
    add: ({ id, projectId }, spent) =>
      void sessions.set(id, {
        id,
        projectId,
        spent,
        stored: spent,
        counted: spent,
        isRemoved: false,
      }),
    report(id, spent) {
      const entry = sessions.get(id)
      if (!entry) return
      worked.add(entry.projectId, spent.durationMs - entry.spent.durationMs)
      entry.spent = spent
    },
    stored(id, spent) {
      const entry = sessions.get(id)
      if (entry) entry.stored = spent
    },
    remove(id) {
      const entry = sessions.get(id)
      if (!entry) return
      Object.assign(entry, { stored: entry.spent, isRemoved: true })
      // Nobody reads the sums while no budget needs them.
      if (options.budgets().length === 0) sessions.delete(id)
    },
    of(budget) {
      const { id, scope, projectId } = budget
      const sum = sums.get(id)
      const isValid = sum !== undefined && (scope === 'project' || sum.day === dayOf(now()))
      let spent = isValid ? sum.spent : nothingSpent
      for (const entry of sessions.values())
        if (projectId === undefined || entry.projectId === projectId)
          spent = addSpent(spent, subtractSpent(entry.spent, entry.counted))
      const durationMs =
        scope === 'project' ? worked.total(projectId ?? '') : worked.today(projectId)
      return { ...spent, durationMs }
    },
    refresh() {
      // One that runs already may have read before the last write.
      next ??= (reading ?? Promise.resolve())
        .catch(() => {})
        .then(() => {
          next = undefined
          reading = read()
          return reading
        })
      return next
    },
  }
}

const readSum = async (
  { spending, now }: SharedSumsOptions,
  { scope, projectId }: SharedBudget,
): Promise<Spent> => {
  const since = scope === 'day' ? startOfDay(now()) : undefined
  const total = await spending.total({ since, projectId })
  return { costUsd: total.costUsd ?? 0, tokens: allTokens(total), durationMs: 0 }
}
