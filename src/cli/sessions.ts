import { existsSync } from 'node:fs'
import { sessionName } from '../api/session-name.ts'
import { databaseFile } from '../log/sqlite/open-database.ts'
import type { SessionRecord } from '../log/types.ts'
import { Fault } from '../shared/fault.ts'
import { shortened } from '../shared/shortened.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { byLastActivity, sessionIdOf, shortId, storedSessions } from './find-session.ts'
import { localMinute } from './local-minute.ts'
import { withAdmin } from './open-admin.ts'
import type { Terminal } from './terminal.ts'

/** `sluice sessions`: the stored sessions, those with the latest activity first. */
export const listSessions = async (
  options: { data: string; json: boolean },
  terminal: Terminal,
): Promise<number> => {
  const records = await storedSessions(options.data)
  if (records.length === 0 && !options.json)
    terminal.write('No sessions yet. Start one with `sluice chat`.\n')
  const columns = terminal.size()?.columns
  const isNarrow = columns !== undefined && columns < wideColumns
  for (const record of records.sort(byLastActivity))
    if (options.json) terminal.writeJson(record)
    else terminal.write(isNarrow ? narrowLineOf(record, columns) : lineOf(record))
  await terminal.flush()
  return exitCodes.done
}

/** `sluice pin` and `sluice unpin`. */
export const pinSession = async (
  { data, session, pinned }: { data: string; session: string; pinned: boolean },
  terminal: Terminal,
): Promise<number> => {
  // To open a log is to create it.
  if (!existsSync(databaseFile(data)))
    throw new Fault('data_not_opened', `There is no log in ${data}.`)
  const id = await sessionIdOf(data, session)
  await withAdmin(data, (admin) => admin.setPinned(id, pinned))
  terminal.write(
    pinned
      ? `Pinned ${id}. \`sluice serve --keep\` never deletes it.\n`
      : `Unpinned ${id}. \`sluice serve --keep\` may delete it.\n`,
  )
  await terminal.flush()
  return exitCodes.done
}

/** Narrower than this, a screen has no room for whole ids and directories. */
const wideColumns = 120

const lineOf = (record: SessionRecord): string => {
  const { id, agent, cwd, updatedAt, lastActivity = updatedAt } = record
  const name = plainLine(sessionName(record))
  return `${id}  ${localMinute(lastActivity)}  ${agent.padEnd(7)} ${shortened(name, nameWidth).padEnd(nameWidth)} ${plainLine(cwd)}${marksOf(record)}\n`
}

/** The beginning of the id is enough for every command, and the name says what it was about. */
const narrowLineOf = (record: SessionRecord, columns: number): string => {
  const { id, agent, updatedAt, lastActivity = updatedAt } = record
  const time = localMinute(lastActivity)
  const head = `${shortId(id)} ${columns < 60 ? time.slice(5) : time} ${agent.padEnd(6)} `
  const marks = marksOf(record)
  const room = Math.max(8, columns - head.length - marks.length)
  return `${head}${shortened(plainLine(sessionName(record)), room)}${marks}\n`
}

const marksOf = (record: SessionRecord): string =>
  `${record.pinned ? '  pinned' : ''}${record.imported ? '  imported' : ''}${record.watched ? '  watched' : ''}${damageOf(record)}`

const damageOf = ({ damage }: SessionRecord): string =>
  damage === undefined ? '' : `  damaged: ${plainLine(damage.reason)}`

const nameWidth = 40
