import type { StampedEvent } from '../../events/types.ts'
import { spendingChanges, spendingIn } from '../spending-update.ts'
import {
  type Database,
  isCorrupt,
  numberColumn,
  prepareStatement,
  readOr,
  textColumn,
} from './database.ts'
import { migrations } from './migrations.ts'
import { importedSql } from './spending.ts'
import { createSpendingRows } from './spending-rows.ts'
import { intactRecord } from './stored-text.ts'

/** A session whose sums are not those of its events. */
export interface WrongSums {
  id: string
  number: number
}

/** Since this version, sums are stored. */
export const spendingVersion =
  migrations.findIndex((step) => step.includes('CREATE TABLE spending (')) + 1

/** Compares the sums of all sessions with their last usage. Sessions that are damaged are left out. */
export const findWrongSums = (database: Pick<Database, 'prepare'>): WrongSums[] => {
  const { usageOf } = createSpendingRows(database)
  const sessions = prepareStatement(
    database,
    `SELECT number, id FROM sessions WHERE number NOT IN (SELECT session FROM spending_unfilled)
      AND number NOT IN (SELECT session FROM damage) AND NOT ${importedSql}`,
  )
  const usage = prepareStatement(
    database,
    `SELECT text, checksum FROM events WHERE session = ?
      AND instr(substr(text, 1, 300), '"usage_update"') ORDER BY seq DESC`,
  )
  const isWrong = (number: number): boolean => {
    const last = lastUsage(usage.iterate(number))
    return (
      last !== undefined &&
      spendingIn([last]).some(
        (update) => spendingChanges({ ...update, calls: new Map() }, usageOf(number)).length > 0,
      )
    )
  }
  return readOr(
    () =>
      sessions
        .all()
        .map((row) => ({ number: numberColumn(row), id: textColumn(row, 1) }))
        .filter(({ number }) => isWrongIn(number, isWrong)),
    () => [],
  )
}

/** What cannot be read is found elsewhere. */
const isWrongIn = (number: number, isWrong: (number: number) => boolean): boolean => {
  try {
    return isWrong(number)
  } catch (cause) {
    if (!isCorrupt(cause)) throw cause
    return true
  }
}

const lastUsage = (rows: Iterable<unknown>): StampedEvent | undefined => {
  for (const row of rows) {
    const event = intactRecord<StampedEvent>(row)
    if (event?.type === 'usage_update') return event
  }
  return undefined
}
