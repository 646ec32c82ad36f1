import { homedir, userInfo } from 'node:os'
import type { LogReader } from '../log/log.ts'
import { databaseFile } from '../log/sqlite/open-database.ts'
import { openSqliteReader } from '../log/sqlite/sqlite-reader.ts'
import type { SessionRecord } from '../log/types.ts'
import type { RedactOptions } from '../redact/redact-text.ts'
import { findStoredSession } from './find-session.ts'

export interface StoredSession {
  record: SessionRecord
  reader: LogReader
}

/** What `sluice export` and `sluice share` write, and where. */
export interface WriteSessionOptions {
  data: string
  session: string
  /** Undefined: a name made of the id, in the current directory. */
  output?: string
  redact: boolean
  keepImages: boolean
  /** Words to hide. */
  hide: readonly string[]
  force: boolean
  json: boolean
}

/** Reads a session of a data directory, which a server may have open. */
export const withStoredSession = async <Result>(
  { data, session }: { data: string; session: string },
  use: (stored: StoredSession) => Promise<Result>,
): Promise<Result> => {
  const record = await findStoredSession(data, session)
  const reader = openSqliteReader(databaseFile(data))
  try {
    return await use({ record, reader })
  } finally {
    await reader.close()
  }
}

/** What is hidden on this machine: also its home directory, and the words that the person gives. */
export const redactionHere = (words: readonly string[]): RedactOptions => ({
  home: homeDirectory(),
  words,
})

const homeDirectory = (): string => {
  try {
    return userInfo().homedir
  } catch {
    return homedir() // a user without an entry in the table of users
  }
}
