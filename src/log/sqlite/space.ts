import { statSync } from 'node:fs'
import type { LogSpace } from '../log-space.ts'
import { type Database, numberColumn, prepareStatement } from './database.ts'

/** Measures a database, which lies in `file`. */
export const createSpaceMeter = (database: Database, file: string): (() => LogSpace) => {
  const pageSize = prepareStatement(database, 'PRAGMA page_size')
  const pageCount = prepareStatement(database, 'PRAGMA page_count')
  const freeCount = prepareStatement(database, 'PRAGMA freelist_count')
  return () => {
    const size = numberColumn(pageSize.get())
    const free = numberColumn(freeCount.get())
    return {
      usedBytes: size * (numberColumn(pageCount.get()) - free),
      freeBytes: size * free,
      databaseBytes: sizeOf(file),
      walBytes: sizeOf(`${file}-wal`),
    }
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
