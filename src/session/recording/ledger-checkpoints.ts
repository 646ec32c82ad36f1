import type { StampedEvent } from '../../events/types.ts'
import { createLedger, type Ledger } from '../../ledger/ledger.ts'
import type { Prices } from '../../ledger/prices.ts'
import type { UsageRow } from '../../ledger/usage-rows.ts'
import type { Log } from '../../log/log.ts'
import { LogFault } from '../../log/log-fault.ts'
import type { LedgerCheckpoint, LedgerRow } from '../../log/types.ts'
import { defined } from '../../shared/fields.ts'

export interface LoadLedgerOptions {
  /** Prices for what comes. Amounts that are stored stay as they are. */
  prices?: Prices | undefined
  /** Reads the events after a seq. */
  read?(after: number): AsyncIterable<StampedEvent>
}

/** Loads the ledger of a session: its last checkpoint, and the events after that. */
export const loadLedger = async (
  log: Log,
  sessionId: string,
  { prices, read = (after) => log.read(sessionId, after) }: LoadLedgerOptions = {},
): Promise<Ledger> => {
  const mark = await lastCheckpoint(log, sessionId)
  const rows = mark ? await log.ledger.list(sessionId) : []
  const from = mark && { rows: rows.map(entryOf), state: mark.state }
  const ledger = createLedger(defined({ prices, from }))
  for await (const event of read(mark?.seq ?? 0)) ledger.replay(event)
  return ledger
}

/** The last checkpoint. One that is ahead of the stored events belongs to events that were lost. */
export const lastCheckpoint = async (
  log: Log,
  sessionId: string,
): Promise<LedgerCheckpoint | undefined> => {
  const mark = await log.ledger.checkpoint(sessionId)
  return mark && mark.seq <= (await log.head(sessionId)) ? mark : undefined
}

/** Stores a session’s ledger now and then, so that loading does not read all its events. */
export interface LedgerCheckpoints {
  /** Copies the ledger as it is after the event `seq`. */
  take(seq: number): void
  /** Whether a copy up to an event is not written yet. */
  isDue(upTo: number): boolean
  /** Writes the copies up to an event that was passed to the log. */
  write(upTo: number): Promise<void>
}

interface Checkpoint {
  rows: LedgerRow[]
  mark: LedgerCheckpoint
}

export const createLedgerCheckpoints = (
  log: Log,
  sessionId: string,
  { ledger, now }: { ledger: Ledger; now(): number },
): LedgerCheckpoints => {
  let pending: Checkpoint[] = []
  return {
    take(seq) {
      const { rows, state } = ledger.save()
      const timestamp = now()
      pending.push({
        rows: Array.from(rows, ([key, row]) => rowOf({ sessionId, key, timestamp }, row)),
        mark: { seq, state },
      })
    },
    isDue: (upTo) => pending.some(({ mark }) => mark.seq <= upTo),
    async write(upTo) {
      const due = pending.filter(({ mark }) => mark.seq <= upTo)
      pending = pending.slice(due.length)
      try {
        await Promise.all(due.map(({ rows, mark }) => log.ledger.put(sessionId, rows, mark)))
      } catch (cause) {
        if (!(cause instanceof LogFault && cause.code === 'unreachable')) throw cause
        // Written with a later batch. Until then, loading reads more events.
        pending = [...due, ...pending]
      }
    },
  }
}

const rowOf = (
  ids: Pick<LedgerRow, 'sessionId' | 'key' | 'timestamp'>,
  { model, tokens, costUsd, cost, estimated, period, priceList, unreported }: UsageRow,
): LedgerRow => ({
  ...ids,
  model,
  tokens,
  ...(costUsd !== undefined && { costUsd }),
  provenance: {
    tokens: estimated ? 'estimated' : 'reported',
    cost: costUsd === undefined && cost !== 'estimated' ? null : cost,
  },
  period,
  ...defined({ priceList, unreported }),
})

const entryOf = ({
  key,
  model,
  tokens,
  costUsd,
  provenance,
  period = 0,
  priceList,
  unreported,
}: LedgerRow): [string, UsageRow] => [
  key,
  {
    model,
    tokens,
    costUsd,
    cost: provenance.cost ?? 'computed',
    estimated: provenance.tokens === 'estimated',
    period,
    ...defined({ priceList, unreported }),
  },
]
