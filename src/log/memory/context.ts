import type { Totals } from '../../events/types.ts'
import type { StoredBlob, StoredSnapshot } from '../log.ts'
import { closedLog, unknownSession } from '../log-fault.ts'
import type { SpendingStep } from '../spending-update.ts'
import type { CommandReceipt } from '../types.ts'

/** A receipt of a command, and when the command was added. */
export interface MemoryReceipt extends CommandReceipt {
  createdAt: number
}

/** The sums of one session. They stay when it is removed. */
export interface MemorySpending {
  readonly sessionId: string
  readonly projectId: string
  readonly agent: string
  /** By model and step. */
  readonly rows: Map<string, SpendingStep>
}

/** What belongs to one session. Records and events are JSON, as in a database: nobody can change them. */
export interface MemorySession {
  record: string
  events: string[]
  /** The hashes of the blobs that it has put. */
  blobs: Set<string>
  /** By approval id. */
  approvals: Map<string, string>
  /** The open commands by id. */
  commands: Map<string, string>
  /** By key. */
  receipts: Map<string, MemoryReceipt>
  /** By key. */
  ledgerRows: Map<string, string>
  readonly spending: MemorySpending
  checkpoint?: string
  snapshot?: StoredSnapshot
}

/** What the stores of a memory log share. */
export interface MemoryContext {
  /** By session id. */
  readonly sessions: Map<string, MemorySession>
  /** By hash. */
  readonly blobs: Map<string, StoredBlob>
  /** What removed sessions have used, by project id; an empty one for those without a project. */
  readonly deletedUsage: Map<string, Totals>
  /** The sums of all sessions, also of removed ones. */
  readonly spending: MemorySpending[]
  /** Throws `closed` when the log is closed. */
  ensureOpen(): void
  /** Throws `unknown_session` when the session does not exist, `closed` when the log is closed. */
  sessionOf(id: string): MemorySession
  close(): void
}

export const createMemoryContext = (): MemoryContext => {
  const sessions = new Map<string, MemorySession>()
  const blobs = new Map<string, StoredBlob>()
  const deletedUsage = new Map<string, Totals>()
  const spending: MemorySpending[] = []
  let isClosed = false
  const ensureOpen = () => {
    if (isClosed) throw closedLog()
  }
  return {
    sessions,
    blobs,
    deletedUsage,
    spending,
    ensureOpen,
    sessionOf(id) {
      ensureOpen()
      const session = sessions.get(id)
      if (!session) throw unknownSession(id)
      return session
    },
    close() {
      isClosed = true
      sessions.clear()
      blobs.clear()
    },
  }
}
