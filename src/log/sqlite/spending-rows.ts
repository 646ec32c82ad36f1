import {
  amountNames,
  type ModelSpending,
  noAmounts,
  type SpendingChange,
} from '../spending-update.ts'
import { columnOf, type Database, numberColumn, prepareStatement, textColumn } from './database.ts'
import { amountColumns } from './spending-queries.ts'

/** The stored sums of single sessions. */
export interface SpendingRows {
  /** What is stored of a session, by model. */
  usageOf(session: number): Map<string, ModelSpending>
}

export const createSpendingRows = (database: Pick<Database, 'prepare'>): SpendingRows => {
  const select = prepareStatement(
    database,
    `SELECT model, max(coalesce(basis, 9)), max(unpriced),
      ${amountColumns.map((column) => `sum(${column})`).join(', ')}
    FROM spending WHERE session = ? GROUP BY model`,
  )
  return {
    usageOf: (session) =>
      new Map(select.all(session).map((row) => [textColumn(row), modelSpending(row)])),
  }
}

const modelSpending = (row: unknown): ModelSpending => {
  const amounts = noAmounts()
  amountNames.forEach((name, index) => {
    amounts[name] = numberColumn(row, 3 + index)
  })
  const basis = numberColumn(row, 1)
  return { ...amounts, basis: basis > 2 ? null : basis, isUnpriced: columnOf(row, 2) === 1 }
}

/** Returns the function that adds an amount to the sums of a session. */
export const insertSpendingRow = (database: Database) => {
  const insertSession = prepareStatement(
    database,
    `INSERT OR IGNORE INTO spending_sessions
    SELECT number, id, coalesce(project, ''), agent FROM sessions WHERE number = ?`,
  )
  const upsert = prepareStatement(
    database,
    `INSERT INTO spending (session, model, step, basis, unpriced, ${amountColumns.join(', ')})
    VALUES (?, ?, ?, ?, ?, ${amountColumns.map(() => '?').join(', ')})
    ON CONFLICT (session, model, step) DO UPDATE SET
      basis = excluded.basis, unpriced = excluded.unpriced,
      ${amountColumns.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`,
  )
  const updateBasis = prepareStatement(
    database,
    `UPDATE spending SET basis = ?3 WHERE session = ?1 AND model = ?2
      AND (basis IS NULL OR basis > ?3)`,
  )
  const setPriced = prepareStatement(
    database,
    'UPDATE spending SET unpriced = 0 WHERE session = ? AND model = ? AND unpriced = 1',
  )
  return (session: number, change: SpendingChange): void => {
    const { model, step, basis, isUnpriced } = change
    insertSession.run(session)
    // No part of the cost of a session is less sure than the whole.
    if (basis !== null) updateBasis.run(session, model, basis)
    if (!isUnpriced) setPriced.run(session, model)
    const amounts = amountNames.map((name) => change[name])
    upsert.run(session, model, step, basis, isUnpriced ? 1 : 0, ...amounts)
  }
}
