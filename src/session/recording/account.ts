import type { StampedEvent } from '../../events/types.ts'
import { createLedger, type Ledger } from '../../ledger/ledger.ts'
import type { UsageRow } from '../../ledger/usage-rows.ts'
import type { Log } from '../../log/log.ts'
import type { LedgerCheckpoint, LedgerRow } from '../../log/types.ts'

/** The account of a session as it stands: what was kept of it, and the events since. */
export const openAccount = async (
  log: Log,
  sessionId: string,
  read: (after: number) => AsyncIterable<StampedEvent> = (after) => log.read(sessionId, after),
): Promise<Ledger> => {
  const mark = await reachOf(log, sessionId)
  const rows = mark ? await log.ledger.list(sessionId) : []
  const ledger = createLedger(mark && { from: { rows: rows.map(entryOf), state: mark.state } })
  for await (const event of read(mark?.seq ?? 0)) ledger.add(event)
  return ledger
}

/** Up to where the account was kept. One that is ahead of the events belongs to lost ones. */
export const reachOf = async (
  log: Log,
  sessionId: string,
): Promise<LedgerCheckpoint | undefined> => {
  const mark = await log.ledger.checkpoint(sessionId)
  return mark && mark.seq <= (await log.head(sessionId)) ? mark : undefined
}

interface Taken {
  rows: LedgerRow[]
  mark: LedgerCheckpoint
}

/** Keeps an account beside the events that it follows from, so that they need not all be read again. */
export const createAccountKeeper = (
  log: Log,
  sessionId: string,
  { ledger, now }: { ledger: Ledger; now(): number },
) => {
  let waiting: Taken[] = []
  return {
    /** Takes the account down as it stands behind the event `seq`. */
    take(seq: number): void {
      const { rows, state } = ledger.save()
      const timestamp = now()
      waiting.push({
        rows: Array.from(rows, ([key, row]) => rowOf({ sessionId, key, timestamp }, row)),
        mark: { seq, state },
      })
    },
    /** Whether something was taken down up to an event. */
    isDue: (upTo: number): boolean => waiting.some(({ mark }) => mark.seq <= upTo),
    /** Writes what was taken down up to an event that the log was asked to keep. */
    async write(upTo: number): Promise<void> {
      const due = waiting.filter(({ mark }) => mark.seq <= upTo)
      waiting = waiting.slice(due.length)
      await Promise.all(due.map(({ rows, mark }) => log.ledger.put(sessionId, rows, mark)))
    },
  }
}

type Place = Pick<LedgerRow, 'sessionId' | 'key' | 'timestamp'>

const rowOf = (
  place: Place,
  { model, tokens, costUsd, cost, estimated, period }: UsageRow,
): LedgerRow => ({
  ...place,
  model,
  tokens,
  ...(costUsd !== undefined && { costUsd }),
  provenance: {
    tokens: estimated ? 'estimated' : 'reported',
    cost: costUsd === undefined ? null : cost,
  },
  period,
})

const entryOf = ({
  key,
  model,
  tokens,
  costUsd,
  provenance,
  period = 0,
}: LedgerRow): [string, UsageRow] => [
  key,
  {
    model,
    tokens,
    costUsd,
    cost: provenance.cost ?? 'reported',
    estimated: provenance.tokens === 'estimated',
    period,
  },
]
