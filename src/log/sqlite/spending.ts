import type { StampedEvent } from '../../events/types.ts'
import { LogFault } from '../log-fault.ts'
import type { SpendingStore } from '../spending.ts'
import { type SpendingUpdate, spendingChanges, spendingIn } from '../spending-update.ts'
import type { SqliteContext } from './context.ts'
import { isCorrupt, numberColumn, prepareStatement, readOr } from './database.ts'
import { createSpendingQueries } from './spending-queries.ts'
import { createSpendingRows, insertSpendingRow } from './spending-rows.ts'
import { intactRecord } from './stored-text.ts'

/** Whether a session came from a file: what it used was not spent here. */
export const importedSql = `instr(record, '"imported":{') > 0`

/** The sums of sessions. Call its methods inside a write. */
export interface SpendingTable {
  /** Adds what an append has used. */
  add(session: number, updates: readonly SpendingUpdate[]): void
  /** Adds the stored events of a session of an older version, unless that is done. */
  fill(session: number): void
}

export const createSpendingTable = ({
  database,
  spendingDamage,
}: Pick<SqliteContext, 'database' | 'spendingDamage'>): SpendingTable => {
  const { usageOf } = createSpendingRows(database)
  const insert = insertSpendingRow(database)
  const isUnfilled = prepareStatement(database, 'SELECT 1 FROM spending_unfilled WHERE session = ?')
  const setFilled = prepareStatement(database, 'DELETE FROM spending_unfilled WHERE session = ?')
  const remove = prepareStatement(database, 'DELETE FROM spending WHERE session = ?')
  const isImported = prepareStatement(
    database,
    `SELECT 1 FROM sessions WHERE number = ? AND ${importedSql}`,
  )
  const select = prepareStatement(
    database,
    `SELECT text, checksum FROM events WHERE session = ? AND
      (instr(substr(text, 1, 300), '"usage_update"') OR instr(substr(text, 1, 300), '"message_end"'))
    ORDER BY seq`,
  )

  const addAll = (session: number, updates: readonly SpendingUpdate[]): void => {
    for (const update of updates)
      for (const change of spendingChanges(update, usageOf(session))) insert(session, change)
  }
  /** Sessions whose events cannot all be read. A transaction that has met a damaged page must end. */
  const unreadable = new Map<number, SpendingUpdate[]>()
  const storedUpdates = (session: number): SpendingUpdate[] => {
    const { updates, isComplete } = readUpdates(select.iterate(session))
    if (isComplete) return updates
    unreadable.set(session, updates)
    spendingDamage.mustRetry = true
    throw new Error('A part of the events cannot be read.')
  }
  const fill = (session: number): void => {
    if (isUnfilled.get(session) === undefined) return
    remove.run(session)
    if (!isImported.get(session)) addAll(session, unreadable.get(session) ?? storedUpdates(session))
    setFilled.run(session)
  }
  /** Sums that are damaged fail the transaction, which then runs again without them. */
  const unlessDamaged = (work: () => void): void => {
    if (spendingDamage.isFound) return
    try {
      work()
    } catch (cause) {
      if (isCorrupt(cause)) Object.assign(spendingDamage, { isFound: true, mustRetry: true })
      throw cause
    }
  }

  return {
    add: (session, updates) =>
      unlessDamaged(() => {
        fill(session)
        if (!isImported.get(session)) addAll(session, updates)
      }),
    fill: (session) => unlessDamaged(() => fill(session)),
  }
}

/** What the events in some rows add to the sums, up to the first row that cannot be read. */
const readUpdates = (
  rows: Iterable<unknown>,
): { updates: SpendingUpdate[]; isComplete: boolean } => {
  let isComplete = true
  const readable = function* (): Generator<StampedEvent> {
    try {
      for (const row of rows) {
        const event = intactRecord<StampedEvent>(row)
        if (event) yield event
      }
    } catch (cause) {
      if (!isCorrupt(cause)) throw cause
      isComplete = false
    }
  }
  return { updates: spendingIn(readable()), isComplete }
}

/** The store of the sums, which also adds the sessions of older versions, one by one. */
export const createSpendingStore = (
  { database, writes, spendingDamage, ensureOpen }: SqliteContext,
  table: SpendingTable,
): SpendingStore & { fillAll(): Promise<void> } => {
  const queries = createSpendingQueries(database)
  const next = prepareStatement(database, 'SELECT session FROM spending_unfilled LIMIT 1')
  return {
    async list(query) {
      ensureOpen()
      return readOr(() => queries.list(query), throwDamaged)
    },
    async span(range = {}) {
      ensureOpen()
      return readOr(() => queries.span(range), throwDamaged)
    },
    async total(range = {}) {
      ensureOpen()
      return readOr(() => queries.total(range), throwDamaged)
    },
    async unfilled() {
      ensureOpen()
      return queries.unfilled()
    },
    async fillAll() {
      for (let row = next.get(); row !== undefined; row = next.get()) {
        const session = numberColumn(row)
        await writes.add(() => table.fill(session))
        if (spendingDamage.isFound) return
      }
    },
  }
}

const throwDamaged = (): never => {
  throw new LogFault(
    'damaged',
    'The sums of tokens and cost are damaged. Stop the server and run `sluice check --repair`.',
  )
}
