/** A value that can be bound to a statement. */
export type Value = string | number | null | Uint8Array

/** The part of `node:sqlite` that the log uses. */
export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  /** Adds a function that statements can call. */
  function(
    name: string,
    options: { deterministic: boolean },
    run: (...values: unknown[]) => number,
  ): void
  close(): void
}

export interface Statement {
  run(...values: Value[]): unknown
  get(...values: Value[]): unknown
  all(...values: Value[]): unknown[]
  iterate(...values: Value[]): Iterable<unknown>
  setReturnArrays(enabled: boolean): void
}

/** Ends a transaction without its changes, unless SQLite has done so itself. */
export const rollBack = (database: Pick<Database, 'exec'>): void => {
  try {
    database.exec('ROLLBACK')
  } catch {
    // There is none any more, or it did not even begin.
  }
}

/** Prepares a statement that returns rows as arrays: several times faster than as objects. */
export const prepareStatement = (database: Pick<Database, 'prepare'>, sql: string): Statement => {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  return statement
}

/** The text in a column of a row. */
export const textColumn = (row: unknown, column = 0): string => {
  const value = columnOf(row, column)
  if (typeof value !== 'string') throw new Error(`Column ${column} does not contain text.`)
  return value
}

/** The number in a column of a row. */
export const numberColumn = (row: unknown, column = 0): number => {
  const value = columnOf(row, column)
  if (typeof value !== 'number') throw new Error(`Column ${column} does not contain a number.`)
  return value
}

/** The value in a column of a row, whatever its type. */
export const columnOf = (row: unknown, column: number): unknown =>
  Array.isArray(row) ? row[column] : undefined

/**
 * Whether a part of a file could not be read: SQLITE_CORRUPT, SQLITE_NOTADB, or a number that is larger
 * than any that is stored.
 */
export const isCorrupt = (cause: unknown): boolean =>
  [11, 26].includes(primaryCode(cause) ?? 0) ||
  (cause instanceof Error && 'code' in cause && cause.code === 'ERR_OUT_OF_RANGE')

/** The primary code of an error of SQLite. */
export const primaryCode = (cause: unknown): number | undefined => {
  const code = cause instanceof Error && 'errcode' in cause ? cause.errcode : undefined
  return typeof code === 'number' ? code & 0xff : undefined
}

/** The rows of a statement up to the first that cannot be read. */
export const readableRows = (
  statement: Statement,
  ...values: Value[]
): { rows: unknown[]; isComplete: boolean } =>
  readOr<{ rows: unknown[]; isComplete: boolean }>(
    // `all` is several times as fast as `iterate`, but returns nothing if one row is damaged.
    () => ({ rows: statement.all(...values), isComplete: true }),
    () => ({ rows: rowsBeforeDamage(statement, values), isComplete: false }),
  )

const rowsBeforeDamage = (statement: Statement, values: readonly Value[]): unknown[] => {
  const rows: unknown[] = []
  try {
    for (const row of statement.iterate(...values)) rows.push(row)
  } catch (cause) {
    if (!isCorrupt(cause)) throw cause
  }
  return rows
}

/** What `read` returns; what `otherwise` returns if the file is damaged there. */
export const readOr = <Result>(read: () => Result, otherwise: () => Result): Result => {
  try {
    return read()
  } catch (cause) {
    if (!isCorrupt(cause)) throw cause
    return otherwise()
  }
}
