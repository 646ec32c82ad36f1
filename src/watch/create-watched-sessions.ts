import type { AgentEvent, WatchedFrom } from '../events/types.ts'
import type { Log } from '../log/log.ts'
import { unknownSession } from '../log/log-fault.ts'
import type { SessionRecord } from '../log/types.ts'
import { Fault } from '../shared/fault.ts'
import { defined } from '../shared/fields.ts'
import { watchedIdOf } from './native-key.ts'
import { createOwnSessions } from './own-sessions.ts'
import { openSessionWriter, type SessionWriter } from './session-writer.ts'
import type { WatchedSession } from './watched-session.ts'
import type {
  NativeSession,
  NotWatched,
  WatchedSessions,
  WatchedSessionsOptions,
} from './watched-sessions.ts'

/** A session that is in memory, and how many have opened it. */
interface OpenSession {
  writer: Promise<SessionWriter>
  users: number
}

export const createWatchedSessions = (options: WatchedSessionsOptions): WatchedSessions => {
  const { log, notify, onError, now = Date.now } = options
  const open = new Map<string, OpenSession>()

  const stopWriter = async (id: string): Promise<void> => {
    await (await open.get(id)?.writer)?.stop()
    open.delete(id)
  }

  /** Sluice runs the session after all: what was read of it meanwhile is there twice. */
  const removeTwin = async (id: string): Promise<void> => {
    const record = await log.sessions.get(id)
    if (!record?.watched) return
    await stopWriter(id)
    await log.sessions.remove(id)
    notify({ type: 'session_removed', sessionId: id })
  }
  const own = createOwnSessions({
    ...{ log, onError },
    onOwn: (native) => void removeTwin(watchedIdOf(native)).catch(onError),
  })

  const openWriter = async (native: NativeSession): Promise<SessionWriter> => {
    const id = watchedIdOf(native)
    const found = await log.sessions.get(id)
    const record = found ?? (await createRecord(log, id, native, now()))
    const writer = await openSessionWriter(record, { ...options, now })
    if (!found) notify({ type: 'session_created', session: record })
    return writer
  }

  const use = async (native: NativeSession): Promise<WatchedSession> => {
    const id = watchedIdOf(native)
    const opened = open.get(id) ?? { writer: openWriter(native), users: 0 }
    open.set(id, opened)
    opened.users += 1
    const leave = (): boolean => {
      opened.users -= 1
      return opened.users === 0 && open.get(id) === opened && open.delete(id)
    }
    const writer = await opened.writer.catch((cause: unknown) => {
      leave()
      throw cause
    })
    const { append, update, isRunning, isAnswered } = writer
    return {
      ...{ id, append, update, isRunning, isAnswered },
      async release() {
        if (leave()) await writer.stop()
        else await writer.settled()
      },
    }
  }

  return {
    async open(native) {
      const refusal = (await own.refusalFor(native)) ?? (await removal(log, watchedIdOf(native)))
      return refusal ?? use(native)
    },
    idOf: watchedIdOf,
    async adopt(id, { creatorId } = {}) {
      const { agent, watched, cwd } = await requireWatched(log, id)
      const session = await use({ agent, nativeId: watched.nativeId, cwd })
      await session.append([{ events: [adoptedNotice] }])
      // Nobody else may write to it any more, whoever has opened it.
      await stopWriter(id)
      const adopted = await log.sessions.update(id, {
        ...{ watched: null, continuedNativeId: watched.nativeId, updatedAt: now() },
        ...defined({ creatorId }),
      })
      own.onSession({ type: 'session_updated', session: adopted })
      await own.settled()
      notify({ type: 'session_updated', session: adopted })
      return adopted
    },
    onSession: own.onSession,
    async close() {
      for (const { writer } of open.values()) await (await writer.catch(() => undefined))?.stop()
      open.clear()
      await own.settled()
    },
  }
}

const adoptedNotice: AgentEvent = {
  type: 'session_update',
  notice: { level: 'info', text: 'Continued in Sluice, which runs the agent from here on.' },
}

type WatchedRecord = SessionRecord & { watched: WatchedFrom }

const requireWatched = async (log: Log, id: string): Promise<WatchedRecord> => {
  const record = await log.sessions.get(id)
  if (!record || record.removedAt !== undefined) throw unknownSession(id)
  const { watched } = record
  if (!watched)
    throw new Fault('not_watched', `Session ${id} is not watched: Sluice runs its agent already.`)
  return { ...record, watched }
}

/** A session that can still be restored stays as it is until then. */
const removal = async (log: Log, id: string): Promise<NotWatched | undefined> => {
  const record = await log.sessions.get(id)
  if (record?.removedAt !== undefined) return 'deleted'
  return record && !record.watched ? 'own' : undefined
}

const createRecord = async (
  log: Log,
  id: string,
  native: NativeSession,
  now: number,
): Promise<SessionRecord> => {
  const { agent, nativeId, cwd, file, startedAt = now } = native
  const createdAt = Math.min(startedAt, now)
  const record: SessionRecord = {
    ...{ id, agent, cwd, state: 'idle' },
    ...{ createdAt, updatedAt: now, lastActivity: createdAt },
    ...defined({ projectId: await projectIn(log, cwd) }),
    watched: { nativeId, since: now, ...defined({ file }) },
  }
  await log.sessions.create(record)
  return record
}

/** The project with the directory, or else the innermost one above it. */
const projectIn = async (log: Log, cwd: string): Promise<string | undefined> => {
  const above = (await log.projects.list()).filter(
    ({ path }) => cwd === path || cwd.startsWith(path.endsWith('/') ? path : `${path}/`),
  )
  return above.toSorted((left, right) => right.path.length - left.path.length)[0]?.id
}
