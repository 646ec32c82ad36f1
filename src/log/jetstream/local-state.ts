import type { Totals } from '../../events/types.ts'
import type { IndexApplier } from './record-index.ts'
import { deletedTotals } from './remove-session.ts'
import { createSpendingBook, type SpendingBook } from './spending-book.ts'

/** What the index has beside its tables. */
export interface LocalState {
  readonly book: SpendingBook
  /** The usage of removed sessions, by project. */
  readonly deletedUsage: Map<string, Totals>
  /** The sessions that may have commands. */
  readonly commandSessions: Set<string>
  readonly appliers: Readonly<Record<string, IndexApplier>>
}

export const createLocalState = (): LocalState => {
  const book = createSpendingBook()
  const deletedUsage = new Map<string, Totals>()
  const commandSessions = new Set<string>()
  const keep = async (): Promise<void> => {}
  return {
    ...{ book, deletedUsage, commandSessions },
    appliers: {
      spending: { set: async (document) => void book.set(document), remove: keep },
      usage: {
        set: async ({ text }, projectId) => void deletedUsage.set(projectId, deletedTotals(text)),
        remove: keep,
      },
      commands: {
        set: async (_, sessionId) => void commandSessions.add(sessionId),
        remove: async (sessionId) => void commandSessions.delete(sessionId),
      },
    },
  }
}
