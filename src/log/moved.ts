import type { DeletedUsage } from './log.ts'
import type { SpendingStep } from './spending-update.ts'
import type { CommandReceipt } from './types.ts'

/** A receipt of a closed command, as one log returns it and another stores it. */
export interface MovedReceipt extends CommandReceipt {
  key: string
  /** When the command was added, in ms since 1970. */
  createdAt: number
}

/** The sums of a session that was removed. */
export interface MovedSpending {
  sessionId: string
  /** Empty for a session without a project. */
  projectId: string
  agent: string
  rows: SpendingStep[]
}

/**
 * What it takes to move a log into another, beside the stores: what they do not list, and what they
 * write only as a part of something else. Every write replaces, so that it can be repeated.
 */
export interface MovedStore {
  /** The hashes of the blobs that a session has put. */
  blobsOf(sessionId: string): Promise<string[]>
  /** Lists the receipts of the closed commands of a session, oldest first. */
  receipts(sessionId: string): Promise<MovedReceipt[]>
  /** Adds receipts to a session. Keys that it has are left out. Throws `unknown_session`. */
  putReceipts(sessionId: string, receipts: readonly MovedReceipt[]): Promise<void>
  /** Replaces the deleted usage of a project. */
  putDeletedUsage(usage: DeletedUsage): Promise<void>
  /** Adds events to the sums of cost that a killed process has stored, and not added any more. */
  completeSums(sessionId: string): Promise<void>
  /** Lists the sums of the sessions that were removed. */
  removedSpending(): Promise<MovedSpending[]>
  /** Stores sums of removed sessions, which are those with these indexes from then on: 0, 1, 2, … */
  putRemovedSpending(all: readonly MovedSpending[]): Promise<void>
}
