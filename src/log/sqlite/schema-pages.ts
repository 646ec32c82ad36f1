import { closeSync, fstatSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { numberColumn, prepareStatement, textColumn } from './database.ts'
import { removeDatabase } from './database-copy.ts'
import { openDatabase } from './open-database.ts'

const pageBytes = 4096
/** The first page begins with the header of the file. */
const headerBytes = 100
/** The first byte of a page: an inner page or a leaf, of a table or of an index. */
const pageTypes: Readonly<Record<number, 'table' | 'index'>> = {
  2: 'index',
  5: 'table',
  10: 'index',
  13: 'table',
}

/**
 * Writes the header and the list of tables of a database again, as a new database has them. All
 * databases have their tables at the same pages, or, if they were rewritten once, at the pages of one
 * that was rewritten. Returns false, and changes nothing, when the file has other pages there.
 */
export const restoreSchema = (file: string): boolean => {
  const handle = openSync(file, 'r+')
  try {
    for (const isRewritten of [false, true]) {
      const model = modelSchema(`${file}.schema`, isRewritten)
      if (!fits(handle, model.roots)) continue
      writeSchema(handle, model.bytes)
      return true
    }
    return false
  } finally {
    closeSync(handle)
  }
}

interface Root {
  page: number
  type: 'table' | 'index'
}

/** The file of a new database, and where its tables and indices begin. */
const modelSchema = (file: string, isRewritten: boolean): { bytes: Buffer; roots: Root[] } => {
  removeDatabase(file)
  try {
    const database = openDatabase(file)
    if (isRewritten) database.exec('VACUUM')
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const rows = prepareStatement(
      database,
      `SELECT rootpage, CASE WHEN sql LIKE '%WITHOUT ROWID' THEN 'index' ELSE type END
      FROM sqlite_schema WHERE rootpage > 0`,
    ).all()
    database.close()
    const roots = rows.map((row): Root => {
      const type = textColumn(row, 1) === 'index' ? 'index' : 'table'
      return { page: numberColumn(row), type }
    })
    return { bytes: readFileSync(file), roots }
  } finally {
    removeDatabase(file)
  }
}

/** One page may be damaged, too. */
const fits = (handle: number, roots: readonly Root[]): boolean =>
  roots.filter(({ page, type }) => {
    const first = Buffer.alloc(1)
    readSync(handle, first, 0, 1, (page - 1) * pageBytes)
    return pageTypes[first[0] ?? 0] !== type
  }).length <= 1

/** Puts the first page of the model into the file, and the pages that it refers to behind its end. */
const writeSchema = (handle: number, model: Buffer): void => {
  const first = Buffer.from(model.subarray(0, pageBytes))
  let pages = Math.ceil(fstatSync(handle).size / pageBytes)
  const append = (at: number): void => {
    const page = first.readUInt32BE(at)
    const content = model.subarray((page - 1) * pageBytes, page * pageBytes)
    writeSync(handle, content, 0, pageBytes, pages * pageBytes)
    pages += 1
    first.writeUInt32BE(pages, at)
  }
  const isInner = first[headerBytes] === 5
  if (isInner) {
    const cells = first.readUInt16BE(headerBytes + 3)
    for (let cell = 0; cell < cells; cell += 1)
      append(first.readUInt16BE(headerBytes + 12 + 2 * cell))
    append(headerBytes + 8)
  }
  first.writeUInt32BE(pages, 28)
  first.fill(0, 32, 40) // no free pages: the new file is made without them
  first.copy(first, 92, 24, 28)
  writeSync(handle, first, 0, pageBytes, 0)
}
