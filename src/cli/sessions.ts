import { existsSync } from 'node:fs'
import { sessionName } from '../api/session-name.ts'
import type { SessionInfo } from '../api/types.ts'
import { databaseFile } from '../log/sqlite/open-database.ts'
import type { SessionRecord } from '../log/types.ts'
import { Fault } from '../shared/fault.ts'
import { shortened } from '../shared/shortened.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { byLastActivity, listedSessions, sessionIdOf, shortId } from './find-session.ts'
import { localMinute } from './local-minute.ts'
import { nodeOn } from './node-data.ts'
import { withAdmin } from './open-admin.ts'
import type { Terminal } from './terminal.ts'

/** `sluice sessions`: the stored sessions, those with the latest activity first. */
export const listSessions = async (
  options: { data: string; json: boolean },
  terminal: Terminal,
): Promise<number> => {
  const records = await listedSessions(options.data)
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
  if (!existsSync(databaseFile(data)) && nodeOn(data) === undefined)
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

/** From the data directory, or from a server. */
type ListedSession = SessionRecord | SessionInfo

/** Narrower than this, a screen has no room for whole ids and directories. */
const wideColumns = 120

const lineOf = (record: ListedSession): string => {
  const { id, agent, cwd, updatedAt, lastActivity = updatedAt } = record
  const name = plainLine(sessionName(record))
  return `${id}  ${localMinute(lastActivity)}  ${agent.padEnd(agentWidth)} ${shortened(name, nameWidth).padEnd(nameWidth)} ${plainLine(cwd)}${marksOf(record)}\n`
}

/** The beginning of the id is enough for every command, and the name says what it was about. */
const narrowLineOf = (record: ListedSession, columns: number): string => {
  const { id, agent, updatedAt, lastActivity = updatedAt } = record
  const time = localMinute(lastActivity)
  const head = `${shortId(id)} ${columns < 60 ? time.slice(5) : time} ${agent.padEnd(agentWidth)} `
  const marks = marksOf(record)
  const room = Math.max(8, columns - head.length - marks.length)
  return `${head}${shortened(plainLine(sessionName(record)), room)}${marks}\n`
}

const marksOf = (record: ListedSession): string =>
  `${record.pinned ? '  pinned' : ''}${record.imported ? '  imported' : ''}${record.watched ? '  watched' : ''}${damageOf(record)}`

const damageOf = ({ damage }: ListedSession): string =>
  damage === undefined ? '' : `  damaged: ${plainLine(damage.reason)}`

const nameWidth = 40
/** The longest name of an agent: `opencode`. */
const agentWidth = 8
