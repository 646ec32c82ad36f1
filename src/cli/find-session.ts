import { statSync } from 'node:fs'
import { sessionName } from '../api/session-name.ts'
import type { SessionInfo } from '../api/types.ts'
import { ApiError } from '../client/api-error.ts'
import type { Client } from '../client/client.ts'
import { listSqliteSessions } from '../log/sqlite/sqlite-log.ts'
import type { SessionRecord } from '../log/types.ts'
import { Fault } from '../shared/fault.ts'
import { shortened } from '../shared/shortened.ts'
import { asDataFault } from '../sluice/open-log.ts'
import { plainLine } from './clean-text.ts'
import { connectToServer } from './connect-to-server.ts'
import { localMinute } from './local-minute.ts'
import { nodeOn, refuseNode } from './node-data.ts'
import { onServer } from './remote/server-target.ts'

/** What a session is found by. */
export type NamedSession = Pick<
  SessionInfo,
  'id' | 'agent' | 'cwd' | 'name' | 'title' | 'updatedAt'
> & { lastActivity?: number | undefined }

/**
 * The session that a person means: by its id, its name or title, the beginning of its id, or the
 * beginning of its name or title. Throws a fault when there is none, or more than one.
 */
export const findSession = <Session extends NamedSession>(
  wanted: string,
  sessions: readonly Session[],
): Session => {
  const text = wanted.trim().toLowerCase()
  for (const isMatch of matchers(text)) {
    const found = sessions.filter(isMatch)
    const [first] = found
    if (first && found.length === 1) return first
    if (first) throw new Fault('usage', severalMessage(wanted, found))
  }
  throw noSession(wanted)
}

/** The same in a data directory. It is only read, so another process may have it open. */
export const findStoredSession = async (data: string, wanted: string): Promise<SessionRecord> =>
  findSession(wanted, await storedSessions(data))

/** The same on a server. */
export const findServerSession = async (client: Client, wanted: string): Promise<SessionInfo> => {
  if (!isWholeId(wanted)) return findSession(wanted, await serverSessions(client))
  try {
    return await client.sessions.get(wanted)
  } catch (cause) {
    if (cause instanceof ApiError && [404, 410].includes(cause.status)) throw noSession(wanted)
    throw cause
  }
}

/** The id of the session that a person means. A whole id may be that of a session that was deleted. */
export const sessionIdOf = async (data: string, wanted: string): Promise<string> =>
  isWholeId(wanted) ? wanted : findSession(wanted, await listedSessions(data)).id

/** All sessions of a data directory, newest first; of the whole cluster, if a node runs on it. */
export const listedSessions = async (data: string): Promise<(SessionRecord | SessionInfo)[]> => {
  const client = nodeOn(data) === undefined ? undefined : connectToServer(data)
  return client ? onServer({}, () => serverSessions(client)) : storedSessions(data)
}

/** All sessions of a data directory, newest first. Throws a fault if a node runs on it. */
export const storedSessions = async (data: string): Promise<SessionRecord[]> => {
  refuseNode(data)
  if (statSync(data, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Fault('data_not_opened', `${data} is a file, not a data directory.`)
  return asDataFault(listSqliteSessions(data, { limit: Number.MAX_SAFE_INTEGER }))
}

/** All sessions that a server shows, newest first. */
export const serverSessions = async (client: Client): Promise<SessionInfo[]> => {
  const found: SessionInfo[] = []
  let cursor: string | undefined
  do {
    const page = await client.sessions.list({ limit: 200, ...(cursor !== undefined && { cursor }) })
    found.push(...page.sessions)
    cursor = page.next
  } while (cursor !== undefined)
  return found
}

/** The beginning of an id that is enough to find it again, in most lists. */
export const shortId = (id: string): string => (isWholeId(id) ? id.slice(0, 8) : id)

/** The session that was used last comes first. */
export const byLastActivity = (left: NamedSession, right: NamedSession): number =>
  (right.lastActivity ?? right.updatedAt) - (left.lastActivity ?? left.updatedAt)

const isWholeId = (text: string): boolean =>
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(text)

/** Shorter beginnings are most often a slip. */
const shortestId = 4
const shortestName = 3

/** The ways to name a session, the most certain one first. */
const matchers = (text: string): ((session: NamedSession) => boolean)[] => [
  ({ id }) => id.toLowerCase() === text,
  ({ name }) => name?.toLowerCase() === text,
  ({ title }) => title?.toLowerCase() === text,
  ({ id }) => text.length >= shortestId && id.toLowerCase().startsWith(text),
  ({ name, title }) =>
    text.length >= shortestName &&
    [name, title].some((each) => each?.toLowerCase().startsWith(text) === true),
]

const noSession = (wanted: string): Fault =>
  new Fault(
    'usage',
    `Session ${wanted} does not exist. List the stored sessions with: sluice sessions`,
  )

const shownMatches = 5

const severalMessage = (wanted: string, found: readonly NamedSession[]): string => {
  const rows = found.toSorted(byLastActivity).slice(0, shownMatches).map(rowOf)
  const more = found.length > shownMatches ? [`  and ${found.length - shownMatches} more`] : []
  const head = `"${wanted}" matches ${found.length} sessions. Use more of the id:`
  return [head, ...rows, ...more].join('\n')
}

const rowOf = (session: NamedSession): string => {
  const { id, agent, updatedAt, lastActivity = updatedAt } = session
  const name = shortened(plainLine(sessionName(session)), 30)
  return `  ${plainLine(id)}  ${localMinute(lastActivity)}  ${agent}  ${name}`
}
