import { existsSync, statSync } from 'node:fs'
import { sessionName } from '../api/session-name.ts'
import { databaseFile } from '../log/sqlite/open-database.ts'
import { listSqliteSessions } from '../log/sqlite/sqlite-log.ts'
import type { SessionRecord } from '../log/types.ts'
import { Fault } from '../shared/fault.ts'
import { shortened } from '../shared/shortened.ts'
import { asDataFault } from '../sluice/open-log.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { localMinute } from './local-minute.ts'
import { withAdmin } from './open-admin.ts'
import type { Terminal } from './terminal.ts'

/** `sluice sessions`: the stored sessions, those with the latest activity first. */
export const listSessions = async (
  options: { data: string; json: boolean },
  terminal: Terminal,
): Promise<number> => {
  const records = await recordsIn(options.data)
  if (records.length === 0 && !options.json)
    terminal.write('No sessions yet. Start one with `sluice chat`.\n')
  for (const record of records.sort(byActivity))
    if (options.json) terminal.writeJson(record)
    else terminal.write(lineOf(record))
  await terminal.flush()
  return exitCodes.done
}

/** `sluice pin` and `sluice unpin`. */
export const pinSession = async (
  { data, id, pinned }: { data: string; id: string; pinned: boolean },
  terminal: Terminal,
): Promise<number> => {
  // To open a log is to create it.
  if (!existsSync(databaseFile(data)))
    throw new Fault('data_not_opened', `There is no log in ${data}.`)
  await withAdmin(data, (admin) => admin.setPinned(id, pinned))
  terminal.write(
    pinned
      ? `Pinned ${id}. \`sluice serve --keep\` never deletes it.\n`
      : `Unpinned ${id}. \`sluice serve --keep\` may delete it.\n`,
  )
  await terminal.flush()
  return exitCodes.done
}

/** All sessions of a data directory. It is only read, so another process may have it open. */
const recordsIn = async (directory: string): Promise<SessionRecord[]> => {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Fault('data_not_opened', `${directory} is a file, not a data directory.`)
  return asDataFault(listSqliteSessions(directory, { limit: Number.MAX_SAFE_INTEGER }))
}

const byActivity = (left: SessionRecord, right: SessionRecord): number =>
  (right.lastActivity ?? right.updatedAt) - (left.lastActivity ?? left.updatedAt)

const lineOf = (record: SessionRecord): string => {
  const { id, agent, cwd, updatedAt, lastActivity = updatedAt, pinned } = record
  const name = plainLine(sessionName(record))
  return `${id}  ${localMinute(lastActivity)}  ${agent.padEnd(7)} ${shortened(name, nameWidth).padEnd(nameWidth)} ${plainLine(cwd)}${pinned ? '  pinned' : ''}${damageOf(record)}\n`
}

const damageOf = ({ damage }: SessionRecord): string =>
  damage === undefined ? '' : `  damaged: ${plainLine(damage.reason)}`

const nameWidth = 40
