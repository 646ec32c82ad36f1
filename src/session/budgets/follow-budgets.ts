import { LogFault } from '../../log/log-fault.ts'
import type { SharedLog } from '../../log/shared-log.ts'
import { type Book, isShared, notifySessions } from './budget-book.ts'

/**
 * Follows what other nodes store: budgets, and what their sessions have used. Returns the function that
 * ends that.
 */
export const followBudgets = (book: Book, shared: Pick<SharedLog, 'onRecord'>): (() => void) => {
  const { records, budgets, sums, worked, onError } = book

  const readBudget = async (id: string): Promise<void> => {
    const record = await budgets.get(id)
    if (record) records.set(id, record)
    else records.delete(id)
    await count()
  }
  const count = async (): Promise<void> => {
    if (![...records.values()].some(isShared)) return
    await sums.refresh()
    notifySessions(book)
  }
  const follow: Record<string, (id: string) => Promise<void>> = {
    budget: readBudget,
    spending: count,
    setting: worked.onSetting,
  }
  const onFailure = (cause: unknown): void => {
    if (!(cause instanceof LogFault && cause.code === 'closed')) onError(cause)
  }
  return shared.onRecord(({ kind, id }) => void follow[kind]?.(id).catch(onFailure))
}
