import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { LogFault } from '../log-fault.ts'
import type { ProjectRecord } from '../types.ts'
import { prepareStatement, readableRows } from './database.ts'
import { schemaVersion } from './migrations.ts'
import { databaseFile, unusableDirectory } from './open-database.ts'
import { createSessionQueries } from './session-queries.ts'
import { createSpendingQueries, type SpendingQueries } from './spending-queries.ts'
import { intactRecord } from './stored-text.ts'
import { spendingVersion } from './wrong-sums.ts'

/** Reads the sums of a data directory that another process may have open. */
export interface SpendingReader extends SpendingQueries {
  /** The name or title of a session; undefined if it has none, or is deleted. */
  sessionName(id: string): string | undefined
  /** The names of the projects, by id. */
  projectNames(): Map<string, string>
  close(): void
}

/**
 * Opens the database of a data directory to read its sums. `none`: there is no log. `old`: an older
 * version wrote it, without sums. Throws `newer_schema`, `damaged` or `unusable_directory`.
 */
export const openSpendingReader = (directory: string): SpendingReader | 'none' | 'old' => {
  const file = databaseFile(directory)
  if (!existsSync(file)) return 'none'
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    if (schemaVersion(database) >= spendingVersion) return readerOf(database)
    database.close()
    return 'old'
  } catch (cause) {
    database?.close()
    throw cause instanceof LogFault ? cause : unusableDirectory(directory, cause)
  }
}

const readerOf = (database: DatabaseSync): SpendingReader => {
  const projects = prepareStatement(database, 'SELECT record, checksum FROM projects')
  const sessions = createSessionQueries(database)
  return {
    ...createSpendingQueries(database),
    sessionName(id) {
      const record = sessions.find(id)
      return record?.name ?? record?.title
    },
    projectNames: () =>
      new Map(
        readableRows(projects)
          .rows.flatMap((row) => intactRecord<ProjectRecord>(row) ?? [])
          .map(({ id, name }) => [id, name]),
      ),
    close: () => database.close(),
  }
}
