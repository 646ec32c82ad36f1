import type { Totals } from '../../events/types.ts'
import { addTotals } from '../../events/usage-sums.ts'
import type { SessionRecord } from '../types.ts'
import type { OwnedBlobStore } from './blobs.ts'
import type { OwnedCommandStore } from './commands.ts'
import type { JetStreamContext } from './context.ts'
import type { OwnedEventStore } from './events.ts'
import type { OwnedHistoryStore } from './history.ts'
import type { OwnedLedgerStore } from './ledger.ts'
import { recordKeys } from './record-keys.ts'
import type { RemoveRest } from './sessions.ts'
import type { OwnedSpending } from './spending.ts'

/** What removed sessions of a project have used, as it is stored. */
interface StoredUsage {
  totals: Totals
  /** The last sessions that were added, so that none counts twice. */
  sessions: string[]
}

/** The totals in a record of deleted usage. */
export const deletedTotals = (text: string): Totals => {
  const { totals }: StoredUsage = JSON.parse(text)
  return totals
}

export interface SessionParts {
  blobs: Pick<OwnedBlobStore, 'removeOf'>
  commands: Pick<OwnedCommandStore, 'removeOf'>
  events: Pick<OwnedEventStore, 'purge'>
  history: Pick<OwnedHistoryStore, 'removeOf'>
  ledger: Pick<OwnedLedgerStore, 'removeOf'>
  spending: Pick<OwnedSpending, 'finish'>
}

/** Returns what deletes everything of a session but its record, which is deleted last: a removal that was interrupted can be repeated. */
export const createRemoveRest = (
  { documents, writer, index }: JetStreamContext,
  { blobs, commands, events, history, ledger, spending }: SessionParts,
): RemoveRest => {
  const addDeletedUsage = async (
    { id, projectId = '', createdAt }: SessionRecord,
    usage: Totals,
  ): Promise<void> => {
    const name = `${id}:${createdAt}`
    await writer.change(recordKeys.deletedUsage(projectId), (text) => {
      const stored: StoredUsage | undefined = text === undefined ? undefined : JSON.parse(text)
      if (stored?.sessions.includes(name)) return text
      const totals = stored ? addTotals(stored.totals, usage) : usage
      const sessions = [...(stored?.sessions ?? []), name].slice(-100)
      return JSON.stringify({ totals, sessions })
    })
  }
  return async (record, usage) => {
    const { id } = record
    if (usage) await addDeletedUsage(record, usage)
    await spending.finish(id)
    await commands.removeOf(id)
    for (const { approvalId } of await index.approvals.list({ sessionId: id }))
      await documents.change(recordKeys.approval(approvalId), () => undefined)
    await blobs.removeOf(id)
    await history.removeOf(id)
    await ledger.removeOf(id)
    await documents.change(recordKeys.snapshot(id), () => undefined)
    await events.purge(id)
  }
}
