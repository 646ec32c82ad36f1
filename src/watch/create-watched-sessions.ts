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
  writer: Promise<SessionWriter | NotWatched>
  users: number
}

export const createWatchedSessions = (options: WatchedSessionsOptions): WatchedSessions => {
  const { log, notify, onError, now = Date.now } = options
  const { open, use, stopWriter } = createWriterPool({ ...options, now })

  /** Sluice runs the session after all: what was read of it meanwhile is there twice. */
  const removeTwin = async (id: string): Promise<void> => {
    const record = await log.sessions.get(id)
    if (!record?.watched) return
    await stopWriter(id)
    await log.sessions.remove(id)
    await options.claims?.release(id)
    notify({ type: 'session_removed', sessionId: id })
  }
  const own = createOwnSessions({
    ...{ log, onError },
    onOwn: (native) => void removeTwin(watchedIdOf(native)).catch(onError),
  })

  return {
    async open(native) {
      const refusal = (await own.refusalFor(native)) ?? (await removal(log, watchedIdOf(native)))
      return refusal ?? use(native)
    },
    idOf: watchedIdOf,
    async adopt(id, { creatorId } = {}) {
      const { agent, watched, cwd } = await requireWatched(log, id)
      const session = await use({ agent, nativeId: watched.nativeId, cwd })
      if (session === 'elsewhere') throw writtenElsewhere(id)
      if (typeof session === 'string') throw unknownSession(id)
      await session.append([{ events: [adoptedNotice] }]).catch(async (cause: unknown) => {
        await session.release()
        throw cause
      })
      // Nobody else may write to it any more, whoever has opened it.
      await stopWriter(id)
      const adopted = await log.sessions.update(id, {
        ...{ watched: null, continuedNativeId: watched.nativeId, updatedAt: now() },
        ...defined({ creatorId }),
      })
      own.onSession({ type: 'session_updated', session: adopted })
      await own.settled()
      await options.claims?.release(id)
      notify({ type: 'session_updated', session: adopted })
      return adopted
    },
    onSession: own.onSession,
    noteDeleted: own.noteDeleted,
    abandon() {
      for (const { writer } of open.values())
        void writer.then(
          (opened) => typeof opened !== 'string' && opened.abandon(),
          () => {}, // who opens it reports it
        )
      open.clear()
    },
    async close() {
      for (const id of [...open.keys()]) {
        await stopWriter(id).catch(() => {})
        await options.claims?.release(id)
      }
      await own.settled()
    },
  }
}

/** The sessions that are in memory. Each has one writer, here and on all nodes. */
const createWriterPool = (options: WatchedSessionsOptions & { now(): number }) => {
  const { log, notify, claims, now } = options
  const open = new Map<string, OpenSession>()
  /** Sessions that leave memory. Whoever opens one again waits until all of it is stored. */
  const leaving = new Map<string, Promise<void>>()

  const stopWriter = async (id: string): Promise<void> => {
    const writer = await open.get(id)?.writer
    if (writer && typeof writer !== 'string') await writer.stop()
    open.delete(id)
  }

  const openWriter = async (native: NativeSession): Promise<SessionWriter | NotWatched> => {
    const id = watchedIdOf(native)
    await leaving.get(id)
    if ((await claims?.claim(id)) === false) return 'elsewhere'
    try {
      const refusal = await removal(log, id)
      if (refusal) await claims?.release(id)
      if (refusal) return refusal
      const found = await log.sessions.get(id)
      const record = found ?? (await createRecord(log, id, native, { now: now(), claims }))
      const writer = await openSessionWriter(record, options)
      if (!found) notify({ type: 'session_created', session: record })
      return writer
    } catch (cause) {
      await claims?.release(id)
      throw cause
    }
  }

  /** Resolves when everything is stored. With the last user, the session leaves memory. */
  const leave = async (id: string, opened: OpenSession, writer: SessionWriter): Promise<void> => {
    opened.users -= 1
    if (opened.users > 0 || open.get(id) !== opened) return writer.settled()
    open.delete(id)
    const left = writer.stop().then(() => claims?.release(id))
    leaving.set(id, left)
    await left.finally(() => leaving.get(id) === left && leaving.delete(id))
  }

  const use = async (native: NativeSession): Promise<WatchedSession | NotWatched> => {
    const id = watchedIdOf(native)
    const opened = open.get(id) ?? { writer: openWriter(native), users: 0 }
    open.set(id, opened)
    opened.users += 1
    const fail = (): void => {
      if (open.get(id) === opened) open.delete(id)
    }
    const writer = await opened.writer.catch((cause: unknown) => {
      fail()
      throw cause
    })
    if (typeof writer === 'string') {
      fail()
      return writer
    }
    const { append, update, isRunning, isAnswered } = writer
    return {
      ...{ id, append, update, isRunning, isAnswered },
      release: () => leave(id, opened, writer),
    }
  }
  return { open, use, stopWriter }
}

const writtenElsewhere = (id: string): Fault =>
  new Fault('owned_elsewhere', `Another node reads session ${id} at this moment.`)

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
  { now, claims }: Pick<WatchedSessionsOptions, 'claims'> & { now: number },
): Promise<SessionRecord> => {
  const { agent, nativeId, cwd, file, startedAt = now } = native
  const createdAt = Math.min(startedAt, now)
  const record: SessionRecord = {
    ...{ id, agent, cwd, state: 'idle' },
    ...{ createdAt, updatedAt: now, lastActivity: createdAt },
    ...defined({ projectId: await projectIn(log, cwd) }),
    watched: { nativeId, since: now, ...defined({ file, node: claims?.node }) },
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
