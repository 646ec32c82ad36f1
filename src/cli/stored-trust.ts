import { existsSync } from 'node:fs'
import type { ProjectTrust } from '../api/types.ts'
import { databaseFile } from '../log/sqlite/open-database.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { projectReaders } from '../trust/project-readers.ts'
import { createTrustedProjects } from '../trust/trusted-projects.ts'
import { serverAt } from './remote/server-target.ts'

type Looked = Pick<ProjectTrust, 'state' | 'hash'>

/**
 * What a person decided about the files of a directory: as the server knows it, or else the log in the
 * data directory. Nothing is decided if neither can be read.
 */
export const storedTrust = async (data: string, directory: string): Promise<Looked> => {
  const server = serverAt({ data })
  if (server) return server.trust.get(directory).catch(() => undecided)
  // To open a log is to create it.
  if (!existsSync(databaseFile(data))) return undecided
  const log = await openSqliteLog(data).catch(() => undefined)
  if (!log) return undecided
  try {
    return await createTrustedProjects({ log, agents: projectReaders }).look(directory)
  } finally {
    await log.close()
  }
}

const undecided: Looked = { state: 'undecided' }
