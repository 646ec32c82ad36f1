import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentEvent, createStamp } from '../../../src/events/index.ts'
import { openSqliteLog } from '../../../src/log/sqlite/sqlite-log.ts'
import type { SessionRecord } from '../../../src/log/types.ts'
import { watchedIdOf } from '../../../src/watch/native-key.ts'

/** A session of Claude Code in a terminal, as a server would have stored it. */
export interface StoredWatched {
  nativeId: string
  title: string
  presence?: NonNullable<SessionRecord['watched']>['presence']
  events?: readonly AgentEvent[]
}

/** The id of the session of Claude Code. */
export const watchedId = (nativeId: string): string => watchedIdOf({ agent: 'claude', nativeId })

/** Writes watched sessions into a data directory. */
export const storeWatched = async (
  data: string,
  cwd: string,
  ...sessions: StoredWatched[]
): Promise<void> => {
  const log = await openSqliteLog(data)
  const now = Date.now()
  for (const { nativeId, title, presence, events = [] } of sessions) {
    const id = watchedId(nativeId)
    await log.sessions.create({
      ...{ id, title, agent: 'claude', cwd, state: 'idle', model: 'claude-sonnet-4-5' },
      ...{ createdAt: now - 60_000, updatedAt: now, lastActivity: now },
      watched: { nativeId, since: now, ...(presence && { presence }) },
    })
    const all: AgentEvent[] = [{ type: 'session_start', agent: 'claude' }, ...events]
    await log.append(id, all.map(createStamp(id, () => now)))
  }
  await log.close()
}

/** Messages as events. */
export const said = (role: 'user' | 'assistant', text: string, messageId: string): AgentEvent[] => [
  { type: 'message_start', messageRole: role, messageId },
  { type: 'message_end', messageId, message: { role, content: [{ type: 'text', text }] } },
]

/** Writes the marker of a process of Claude Code: this one, which lives while the tests run. */
export const writeMarker = (home: string, sessionId: string, fields: object = {}): void => {
  const directory = join(home, '.claude/sessions')
  mkdirSync(directory, { recursive: true })
  const { pid } = process
  const [, stat = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')
  const procStart = stat.split(' ')[19]
  const marker = { pid, procStart, sessionId, startedAt: Date.now(), status: 'idle', ...fields }
  writeFileSync(join(directory, `${pid}.json`), JSON.stringify(marker))
}
