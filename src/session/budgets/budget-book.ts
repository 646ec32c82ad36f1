import { dayOf } from '../../budget/day.ts'
import {
  addRaise,
  type Counted,
  limitsInForce,
  raisedOfOthers,
  type Spent,
  useOf,
} from '../../budget/limits.ts'
import type { SessionLimits } from '../../budget/session-limits.ts'
import type {
  BudgetLimits,
  BudgetScope,
  BudgetUse,
  OnExceeded,
  SessionBudget,
} from '../../events/types.ts'
import type { RecordStore } from '../../log/log.ts'
import type { SharedLog } from '../../log/shared-log.ts'
import type { SpendingStore } from '../../log/spending.ts'
import type { BudgetRecord, SessionRecord, SettingRecord } from '../../log/types.ts'
import { defined } from '../../shared/fields.ts'
import { followBudgets } from './follow-budgets.ts'
import { createSessionLimits, type SessionEntry } from './session-entry.ts'
import { createSharedSums, type SharedSums } from './shared-sums.ts'
import { openWorkedTime, type WorkedTime } from './worked-time.ts'

/** A budget with what is used of it. */
export interface BudgetStatus extends Omit<BudgetRecord, 'raised'> {
  /** Absent for a budget of sessions. */
  uses?: BudgetUse[]
  /** An option of the program set it: it cannot be changed. */
  isFixed?: true
}

/** Which budget to set. There is one of each scope and project. */
export interface WantedBudget {
  scope: BudgetScope
  projectId?: string | undefined
  limits: BudgetLimits
  onExceeded?: OnExceeded | undefined
  by?: string | undefined
}

/** All budgets: those that hold for several sessions, and what counts for them. */
export interface BudgetBook {
  /** All budgets, in the order in which they were set, after those that are fixed. */
  list(): Promise<BudgetStatus[]>
  /** Sets a budget. It replaces the one of the same scope and project. */
  set(wanted: WantedBudget): Promise<BudgetStatus>
  /** Changes a budget that can be changed; undefined if there is none with this id. */
  change(
    id: string,
    change: Partial<Pick<BudgetRecord, 'limits' | 'onExceeded'>>,
  ): Promise<BudgetStatus | undefined>
  /** Removes a budget. False if there is none with this id. */
  remove(id: string): Promise<boolean>
  /** A session’s own limits were replaced, and its record is stored. */
  setOwn(sessionId: string, budget: SessionBudget | undefined): void
  /** The limits of a session that is in memory. */
  open(record: SessionRecord, options: OpenLimitsOptions): OpenLimits
  /** Stores what is not stored yet. */
  close(): Promise<void>
}

export interface OpenLimitsOptions {
  /** What the session has used so far. */
  spent: Spent
  /** Stores by how much limits were raised for the session. */
  onRaised(raised: Record<string, BudgetLimits>): void
}

/** The limits of a session that is in memory. */
export interface OpenLimits extends SessionLimits {
  /** The log has the usage of the session up to this. */
  stored(spent: Spent): void
  /** A run has ended. */
  runEnded(): void
  close(): void
}

export interface BudgetBookOptions {
  budgets: Pick<RecordStore<BudgetRecord>, 'list' | 'get' | 'put' | 'change' | 'remove'>
  settings: Pick<RecordStore<SettingRecord>, 'list' | 'get' | 'change'>
  spending: Pick<SpendingStore, 'total'>
  /** Present when other nodes change the budgets, and use them. */
  shared?: Pick<SharedLog, 'onRecord'> | undefined
  /** Budgets that hold as long as the program runs. */
  fixed?: readonly FixedBudget[] | undefined
  now(): number
  /** Receives errors of background work. */
  onError(cause: unknown): void
}

/** A budget that an option of the program sets. */
export type FixedBudget = Pick<WantedBudget, 'scope' | 'limits' | 'onExceeded'>

/** What the parts of a book share. */
export interface Book extends BudgetBookOptions {
  /** By id, in the order in which they were set. */
  readonly records: Map<string, BudgetRecord>
  readonly sessions: Map<string, SessionEntry>
  readonly sums: SharedSums
  readonly worked: WorkedTime
}

export const openBudgetBook = async (options: BudgetBookOptions): Promise<BudgetBook> => {
  const { now, onError } = options
  const records = new Map([
    ...(options.fixed ?? []).map(
      (each) => [`serve-${each.scope}`, fixedRecord(each, now())] as const,
    ),
    ...(await options.budgets.list()).map((record) => [record.id, record] as const),
  ])
  const worked = await openWorkedTime(options.settings, now)
  const budgets = () => [...records.values()].filter(isShared)
  const sums = createSharedSums({ ...options, worked, budgets })
  const book: Book = { ...options, records, sessions: new Map(), sums, worked }
  if (budgets().length > 0) await sums.refresh().catch(onError)

  const unfollow = options.shared && followBudgets(book, options.shared)

  const put = async (record: BudgetRecord): Promise<BudgetStatus> => {
    await options.budgets.put(record)
    records.set(record.id, record)
    if (isShared(record)) await sums.refresh().catch(onError)
    notifySessions(book)
    return statusOf(book, record)
  }

  return {
    async list() {
      if (budgets().length > 0) await sums.refresh().catch(onError)
      return [...records.values()].map((record) => statusOf(book, record))
    },
    set: ({ scope, projectId, limits, onExceeded = 'ask', by }) =>
      put({
        id: projectId === undefined ? scope : `${scope}-${projectId}`,
        scope,
        limits,
        onExceeded,
        createdAt: now(),
        ...defined({ projectId, by }),
      }),
    async change(id, change) {
      const record = records.get(id)
      return record && put({ ...record, ...defined(change) })
    },
    async remove(id) {
      const isStored = await options.budgets.remove(id)
      records.delete(id)
      notifySessions(book)
      return isStored
    },
    setOwn(sessionId, budget) {
      const entry = book.sessions.get(sessionId)
      if (!entry) return
      Object.assign(entry, { budget, raised: raisedOfOthers(entry.raised) })
      notifySessions(book)
    },
    open: (record, how) => createSessionLimits(book, record, how),
    async close() {
      unfollow?.()
      await worked.save()
    },
  }
}

const isFixed = ({ id }: BudgetRecord): boolean => id.startsWith('serve-')

const fixedRecord = (
  { scope, limits, onExceeded = 'ask' }: FixedBudget,
  createdAt: number,
): BudgetRecord => ({ id: `serve-${scope}`, scope, limits, onExceeded, createdAt })

/** Whether a budget counts several sessions together. */
export const isShared = ({ scope }: BudgetRecord): boolean => scope !== 'session'

const statusOf = ({ sums, now }: Book, record: BudgetRecord): BudgetStatus => {
  const { raised: _, ...status } = record
  return {
    ...status,
    ...(isShared(record) && {
      uses: limitsInForce(countedOf(record, now()), sums.of(record)).map(useOf),
    }),
    ...(isFixed(record) && { isFixed: true }),
  }
}

/** A budget as it is counted now. What a budget of a day was raised by holds on that day. */
export const countedOf = (
  { id, scope, projectId, limits, raised, onExceeded }: BudgetRecord,
  now: number,
): Counted => {
  const isRaised = raised && (raised.day === undefined || raised.day === dayOf(now))
  return {
    budgetId: id,
    scope,
    limits,
    onExceeded,
    ...defined({ projectId, raised: isRaised ? raised.limits : undefined }),
  }
}

/** Raises a limit that sessions share. */
export const raiseShared = (
  { records, budgets, now, onError }: Book,
  { budgetId, measure }: Pick<BudgetUse, 'budgetId' | 'measure'>,
  amount: number,
): void => {
  const record = records.get(budgetId)
  if (!record) return
  const { raised: before } = countedOf(record, now())
  const limits = addRaise(before, measure, amount)
  records.set(budgetId, { ...record, raised: raisedOf(record, limits, now()) })
  if (isFixed(record)) return
  // Another node may have raised it, too.
  const stored = budgets.change(budgetId, (newest) => {
    if (!newest) return undefined
    const more = addRaise(countedOf(newest, now()).raised, measure, amount)
    return { ...newest, raised: raisedOf(newest, more, now()) }
  })
  stored.catch(onError)
}

const raisedOf = ({ scope }: BudgetRecord, limits: BudgetLimits, now: number) =>
  scope === 'day' ? { day: dayOf(now), limits } : { limits }

/** Limits have changed, or a session has used more of those that it shares. */
export const notifySessions = ({ sessions }: Book, except?: string): void => {
  for (const [id, entry] of sessions)
    if (id !== except) for (const listener of entry.listeners) listener()
}
