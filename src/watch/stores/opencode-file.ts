import { lstat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where OpenCode stores the sessions of all projects. */
export const openCodeFile = (env: NodeJS.ProcessEnv = process.env): string =>
  openCodeFileIn(join(env.XDG_DATA_HOME || join(env.HOME ?? homedir(), '.local/share'), 'opencode'))

/** The database in the directory of OpenCode; a path of the database itself is returned as it is. */
export const openCodeFileIn = (path: string): string =>
  path.endsWith('.db') ? path : join(path, 'opencode.db')

/** Which database it is, and which log of its writes. */
export interface DatabaseFiles {
  database: string
  writes: string | undefined
}

/** Undefined if there is no database. */
export const databaseFiles = async (file: string): Promise<DatabaseFiles | undefined> => {
  const database = await identityOf(file)
  return database === undefined ? undefined : { database, writes: await identityOf(`${file}-wal`) }
}

const identityOf = async (path: string): Promise<string | undefined> => {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined)
  return stats && `${stats.dev} ${stats.ino} ${stats.birthtimeNs}`
}

/** A log of writes that is made later belongs to the same database; one that is replaced does not. */
export const isSameDatabase = (before: DatabaseFiles, now: DatabaseFiles | undefined): boolean =>
  before.database === now?.database && (before.writes === undefined || before.writes === now.writes)
