import type { MovedReceipt, MovedSpending, MovedStore } from '../moved.ts'
import { amountNames, noAmounts, type SpendingStep } from '../spending-update.ts'
import { commandStateIn } from './commands.ts'
import type { SqliteContext } from './context.ts'
import { columnOf, numberColumn, prepareStatement, textColumn } from './database.ts'
import { amountColumns } from './spending-queries.ts'

/** What moves between logs, in the tables of the database. */
export const createMovedStore = (context: SqliteContext): MovedStore => {
  const { database, writes, sessionRows, ensureOpen } = context
  const prepare = (sql: string) => prepareStatement(database, sql)
  const selectBlobs = prepare('SELECT hash FROM blob_owners WHERE session = ? ORDER BY hash')
  const selectReceipts = prepare(
    `SELECT key, hash, seq, state, created_at FROM commands
    WHERE session = ? AND record IS NULL AND key IS NOT NULL ORDER BY number`,
  )
  // The id of a closed command is not used any more, but it must be unique.
  const insertReceipt = prepare(
    `INSERT OR IGNORE INTO commands (id, session, state, seq, created_at, key, hash)
    VALUES ('moved ' || ?1, ?2, ?3, ?4, ?5, ?1, ?6)`,
  )
  const replaceUsage = prepare(
    `INSERT INTO past_usage (project, totals) VALUES (?, ?)
    ON CONFLICT (project) DO UPDATE SET totals = excluded.totals`,
  )

  return {
    async blobsOf(sessionId) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      return session ? selectBlobs.all(session.number).map((row) => textColumn(row)) : []
    },
    async receipts(sessionId) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      if (!session) return []
      return selectReceipts.all(session.number).map(
        (row): MovedReceipt => ({
          ...{ key: textColumn(row), hash: textColumn(row, 1), seq: numberColumn(row, 2) },
          ...{ state: commandStateIn(textColumn(row, 3)), createdAt: numberColumn(row, 4) },
          sessionId,
        }),
      )
    },
    putReceipts: (sessionId, receipts) =>
      writes.add(() => {
        const { number } = sessionRows.get(sessionId)
        for (const { key, state, seq, createdAt, hash } of receipts)
          insertReceipt.run(key, number, state, seq, createdAt, hash)
      }),
    putDeletedUsage: ({ projectId = '', usage }) =>
      writes.add(() => void replaceUsage.run(projectId, JSON.stringify(usage))),
    // They are stored with the events.
    completeSums: async () => {},
    ...createRemovedSpending(context),
  }
}

/** The sums of sessions whose row is gone. Those of another log have negative numbers, which no session gets. */
const createRemovedSpending = ({
  database,
  writes,
  ensureOpen,
}: SqliteContext): Pick<MovedStore, 'removedSpending' | 'putRemovedSpending'> => {
  const isRemoved = 'session NOT IN (SELECT number FROM sessions)'
  const selectOwners = prepareStatement(
    database,
    `SELECT session, id, project, agent FROM spending_sessions WHERE ${isRemoved} ORDER BY session > 0, abs(session)`,
  )
  const selectRows = prepareStatement(
    database,
    `SELECT model, step, coalesce(basis, 9), unpriced, ${amountColumns.join(', ')}
    FROM spending WHERE session = ? ORDER BY step, model`,
  )
  const insertOwner = prepareStatement(
    database,
    'INSERT OR REPLACE INTO spending_sessions (session, id, project, agent) VALUES (?, ?, ?, ?)',
  )
  const insertRow = prepareStatement(
    database,
    `INSERT OR REPLACE INTO spending (session, model, step, basis, unpriced, ${amountColumns.join(', ')})
    VALUES (?, ?, ?, ?, ?, ${amountColumns.map(() => '?').join(', ')})`,
  )
  return {
    async removedSpending() {
      ensureOpen()
      return selectOwners.all().map(
        (row): MovedSpending => ({
          ...{ sessionId: textColumn(row, 1), projectId: textColumn(row, 2) },
          agent: textColumn(row, 3),
          rows: selectRows.all(numberColumn(row)).map(spendingRow),
        }),
      )
    },
    putRemovedSpending: (all) =>
      writes.add(() => {
        for (const [index, { sessionId, projectId, agent, rows }] of all.entries()) {
          const number = -1 - index
          insertOwner.run(number, sessionId, projectId, agent)
          for (const { model, step, basis, isUnpriced, ...amounts } of rows) {
            const values = amountNames.map((name) => amounts[name])
            insertRow.run(number, model, step, basis, isUnpriced ? 1 : 0, ...values)
          }
        }
      }),
  }
}

const spendingRow = (row: unknown): SpendingStep => {
  const amounts = noAmounts()
  amountNames.forEach((name, index) => {
    amounts[name] = numberColumn(row, 4 + index)
  })
  const basis = numberColumn(row, 2)
  return {
    ...{ ...amounts, model: textColumn(row), step: numberColumn(row, 1) },
    ...{ basis: basis > 2 ? null : basis, isUnpriced: columnOf(row, 3) === 1 },
  }
}
