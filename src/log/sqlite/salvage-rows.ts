import {
  columnOf,
  type Database,
  isCorrupt,
  numberColumn,
  prepareStatement,
  readOr,
  type Statement,
} from './database.ts'

/** Reads ranges of rows, and halves those that cannot be read as a whole. */
export const copyByRowid = (
  from: Database,
  table: string,
  list: string,
  copy: (row: unknown) => void,
): void => {
  const select = prepareStatement(
    from,
    `SELECT ${list}, rowid FROM ${table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid`,
  )
  const ranges: [first: number, last: number][] = [[1, lastRowid(from, table)]]
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    const [first, last] = range
    if (first > last) continue
    const reached = copyRange(select, first, last, copy)
    if (reached >= last || first === last) continue
    const next = reached + 1
    // One row at least is left out in each step, so this ends.
    const middle = next + Math.floor((last - next) / 2)
    if (next === first && middle === last) continue
    ranges.push([middle + 1, last], [next, middle])
  }
}

/** Copies rows until one cannot be read. Returns the last row number that is done. */
const copyRange = (
  select: Statement,
  first: number,
  last: number,
  copy: (row: unknown) => void,
): number => {
  let reached = first - 1
  try {
    for (const row of select.iterate(first, last)) {
      copy(row)
      reached = Number(Array.isArray(row) ? row.at(-1) : last)
    }
    return last
  } catch (cause) {
    if (!isCorrupt(cause)) throw cause
    return reached
  }
}

/** The highest row number; where it is damaged, one that few files of this size exceed. */
const lastRowid = (from: Database, table: string): number => {
  const last = readOr(
    () => Number(columnOf(prepareStatement(from, `SELECT max(rowid) FROM ${table}`).get(), 0) ?? 0),
    () => Number.POSITIVE_INFINITY,
  )
  if (last < maxRowid) return last
  return numberColumn(prepareStatement(from, 'PRAGMA page_count').get()) * 500
}

const maxRowid = 2 ** 40

/** Reads a table as it lies in the file, from both ends up to the damage. */
export const copyBothWays = (
  from: Database,
  table: string,
  list: string,
  copy: (row: unknown) => void,
): void => {
  const key = hasRowid(table) ? 'rowid' : '1'
  for (const order of ['ASC', 'DESC']) {
    const sql = `SELECT ${list} FROM ${table} NOT INDEXED ORDER BY ${key} ${order}`
    if (readEach(prepareStatement(from, sql), copy)) return
  }
}

/** Passes on rows up to the first that cannot be read. Returns whether all can be. */
export const readEach = (statement: Statement, use: (row: unknown) => void): boolean => {
  try {
    for (const row of statement.iterate()) use(row)
    return true
  } catch (cause) {
    if (!isCorrupt(cause)) throw cause
    return false
  }
}

/** Tables whose key has several columns have no row numbers. */
export const hasRowid = (table: string): boolean =>
  !['blob_owners', 'blob_puts', 'spending'].includes(table)
