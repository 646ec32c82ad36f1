import { addRaise, type LimitInForce, limitsInForce, type Spent } from '../../budget/limits.ts'
import type { BudgetLimits, SessionBudget } from '../../events/types.ts'
import type { BudgetRecord, SessionRecord } from '../../log/types.ts'
import { defined } from '../../shared/fields.ts'
import {
  type Book,
  countedOf,
  isShared,
  notifySessions,
  type OpenLimits,
  type OpenLimitsOptions,
  raiseShared,
} from './budget-book.ts'

/** What a book has about a session in memory. */
export interface SessionEntry {
  id: string
  projectId: string | undefined
  budget: SessionBudget | undefined
  /** By how much limits were raised for this session, by the id of their budget. */
  raised: Record<string, BudgetLimits>
  listeners: Set<() => void>
}

/** The id of a session’s own limits. */
const own = 'own'

/** The limits of a session that is in memory. */
export const createSessionLimits = (
  book: Book,
  { id, projectId, budget, raised = {} }: SessionRecord,
  { spent, onRaised }: OpenLimitsOptions,
): OpenLimits => {
  const { sums, worked, onError } = book
  const entry: SessionEntry = { id, projectId, budget, raised, listeners: new Set() }
  book.sessions.set(id, entry)
  sums.add({ id, projectId }, spent)
  const hasShared = () => applying(book, entry).some(isShared)

  return {
    inForce: (now) => inForce(book, entry, now),
    report(now) {
      sums.report(id, now)
      if (hasShared()) notifySessions(book, id)
    },
    async settled() {
      if (hasShared()) await sums.refresh().catch(onError)
    },
    raise(limit, amount) {
      if (limit.scope !== 'session') raiseShared(book, limit, amount)
      else {
        const before = entry.raised[limit.budgetId]
        entry.raised = {
          ...entry.raised,
          [limit.budgetId]: addRaise(before, limit.measure, amount),
        }
        onRaised(entry.raised)
      }
      notifySessions(book, id)
    },
    subscribe(listener) {
      entry.listeners.add(listener)
      return () => void entry.listeners.delete(listener)
    },
    stored(now) {
      sums.stored(id, now)
      if (!hasShared()) return
      sums.refresh().then(() => notifySessions(book), onError)
      // The other nodes count it, too.
      if (book.shared) worked.save().catch(onError)
    },
    runEnded: () => void worked.save().catch(onError),
    close() {
      sums.remove(id)
      if (book.sessions.get(id) === entry) book.sessions.delete(id)
    },
  }
}

/** The budgets that hold for a session, beside its own. */
const applying = ({ records }: Book, { projectId }: SessionEntry): BudgetRecord[] =>
  [...records.values()].filter(
    (record) => record.projectId === undefined || record.projectId === projectId,
  )

const inForce = (book: Book, entry: SessionEntry, spent: Spent): LimitInForce[] => {
  const { budget, raised } = entry
  const ownLimits = budget
    ? limitsInForce(
        {
          budgetId: own,
          scope: 'session',
          limits: budget.limits,
          onExceeded: budget.onExceeded ?? 'ask',
          ...defined({ raised: raised[own] }),
        },
        spent,
      )
    : []
  const others = applying(book, entry).flatMap((record) => {
    const counted = countedOf(record, book.now())
    return isShared(record)
      ? limitsInForce(counted, book.sums.of(record))
      : limitsInForce({ ...counted, ...defined({ raised: raised[record.id] }) }, spent)
  })
  const all = [...ownLimits, ...others]
  // Nobody answers for a session that stops at its limits.
  return budget?.onExceeded === 'stop' ? all.map((each) => ({ ...each, onExceeded: 'stop' })) : all
}
