import { stat } from 'node:fs/promises'
import type { Log } from '../../log/log.ts'
import {
  type OpenCodeSession,
  type OpenCodeStore,
  openOpenCodeStore,
} from '../../opencode-store/index.ts'
import { loadCatalog } from '../files/catalog.ts'
import { createForkUsage } from '../files/fork-usage.ts'
import type { ImportCount } from '../files/import-files.ts'
import { quietMs } from '../files/library.ts'
import type { ReadOptions } from '../files/session-reader.ts'
import type { WatchedSessions } from '../watched-sessions.ts'
import { type OpenCodeReader, openOpenCodeReader } from './opencode-reader.ts'

/** The sessions in the database of OpenCode. */
export interface OpenCodeImport {
  /** Reads all sessions that are new or have grown, the latest first. */
  readAll(
    how: ReadOptions & { isDry?: boolean; signal?: AbortSignal | undefined },
  ): Promise<ImportCount>
  /** Reads what has come since the last call. Much less work than `readAll`. */
  readChanges(how: ReadOptions): Promise<void>
  /** Leaves what is left out from now on, after the end of its run. */
  leave(): Promise<void>
  close(): Promise<void>
}

export interface OpenCodeImportOptions {
  log: Log
  watched: WatchedSessions
  file: string
  now?(): number
  /** Called before each session, to leave time for other work. */
  pace?(): Promise<void>
  /** Called when one session cannot be read. All others are read all the same. */
  onError(cause: unknown): void
  /** Whether the sessions of a directory are left out. */
  isLeftOut?(session: Pick<OpenCodeSession, 'directory'>): boolean
}

/** The most sessions whose decoders stay in memory between changes. */
const maxOpen = 16

/** Undefined if there is no database. Rejects with a `Fault` if it cannot be read. */
export const openOpenCodeImport = async (
  options: OpenCodeImportOptions,
): Promise<OpenCodeImport | undefined> => {
  const { file, watched, log, now = Date.now, isLeftOut, pace } = options
  if (!(await exists(file))) return undefined
  const store = await openOpenCodeStore(file)
  const forks = createForkUsage(log)
  await loadCatalog(log, forks)
  const readers = createReaderPool({ ...options, store, forks })
  let place = 0
  const reads = createSessionReads(options.onError)

  const readOne = async (session: OpenCodeSession, how: ReadOptions) => {
    const state = store.stateOf(session.id)
    const reader = await readers.of(session)
    if (typeof reader === 'string') return reader
    try {
      const outcome = await reader.catchUp(how)
      const isQuiet = now() - session.updatedAt > quietMs
      if (isQuiet && reader.session().isRunning()) await reader.close(how)
      await reader.session().update({ file, read: state })
      return outcome
    } catch (cause) {
      await readers.drop(session.id)
      throw cause
    }
  }

  const isRead = async ({ id }: OpenCodeSession): Promise<boolean> => {
    const record = await log.sessions.get(watched.idOf({ agent: 'opencode', nativeId: id }))
    return record?.watched?.read === store.stateOf(id)
  }

  const readAll: OpenCodeImport['readAll'] = async ({ isDry = false, signal, ...how }) => {
    const count: ImportCount = {
      ...{ agent: 'opencode', directory: file, read: 0, unchanged: 0, own: 0, deleted: 0 },
      ...{ empty: 0, unreadable: 0, failed: 0, bytes: (await stat(file)).size },
    }
    place = store.changes(0).place
    for (const session of latestFirst(allSessionsIn(store))) {
      if (signal?.aborted) break
      if (isLeftOut?.(session)) continue
      await pace?.()
      const outcome = (await isRead(session))
        ? 'unchanged'
        : isDry
          ? 'read'
          : await reads.run(session.id, () => readOne(session, how))
      if (outcome === 'failed') count.failed += 1
      else if (outcome in count) count[outcome === 'read' ? 'read' : countedAs(outcome)] += 1
      if (outcome !== 'unchanged' && how.isPast) await readers.drop(session.id)
    }
    if (count.read === 0) count.bytes = 0
    return count
  }

  return {
    readAll,
    async readChanges(how) {
      const changed = store.changes(place)
      // Rows have new numbers, such as after VACUUM, or the last ones were deleted.
      if (changed.place < place) {
        await readAll(how)
        return
      }
      for (const id of new Set([...reads.failed(), ...changed.sessionIds])) {
        const session = store.session(id)
        if (session && !isLeftOut?.(session)) await reads.run(id, () => readOne(session, how))
      }
      place = changed.place
    },
    leave: () => readers.leave((session) => isLeftOut?.(session) === true),
    async close() {
      await readers.close()
      store.close()
    },
  }
}

/** When so many fail one after the other, it is not because of them: the log cannot store anything. */
const maxFailures = 10

/** Reads sessions, and remembers those that could not be read, or that another node reads. */
const createSessionReads = (onError: OpenCodeImportOptions['onError']) => {
  const failed = new Set<string>()
  let failures = 0
  return {
    failed: () => [...failed],
    async run<Outcome>(id: string, read: () => Promise<Outcome>): Promise<Outcome | 'failed'> {
      try {
        const outcome = await read()
        failures = 0
        if (outcome === 'elsewhere') failed.add(id)
        else failed.delete(id)
        return outcome
      } catch (cause) {
        failures += 1
        failed.add(id)
        if (failures >= maxFailures) throw cause
        onError(cause)
        return 'failed'
      }
    },
  }
}

/** The readers of the sessions that were read last. */
const createReaderPool = (options: Parameters<typeof openOpenCodeReader>[1]) => {
  const open = new Map<string, { reader: OpenCodeReader; session: OpenCodeSession }>()
  const drop = async (id: string): Promise<void> => {
    const left = open.get(id)
    open.delete(id)
    await left?.reader.release()
  }
  return {
    async of(session: OpenCodeSession) {
      const found = open.get(session.id)
      if (found) return found.reader
      const reader = await openOpenCodeReader(session, options)
      if (typeof reader === 'string') return reader
      open.set(session.id, { reader, session })
      const [oldest] = open.keys()
      if (open.size > maxOpen && oldest !== undefined) await drop(oldest)
      return reader
    },
    drop,
    async leave(isLeft: (session: OpenCodeSession) => boolean) {
      for (const { reader, session } of [...open.values()]) {
        if (!isLeft(session)) continue
        if (reader.session().isRunning()) await reader.close({ isPast: false })
        await drop(session.id)
      }
    },
    async close() {
      for (const id of [...open.keys()]) await drop(id)
    },
  }
}

const countedAs = (outcome: string): 'unchanged' | 'own' | 'deleted' | 'empty' =>
  outcome === 'unchanged' || outcome === 'own' || outcome === 'deleted' ? outcome : 'empty'

const allSessionsIn = (store: OpenCodeStore): OpenCodeSession[] => {
  const sessions: OpenCodeSession[] = []
  for (;;) {
    const page = store.sessions(sessions.at(-1)?.id)
    if (page.length === 0) return sessions
    sessions.push(...page)
  }
}

const latestFirst = (sessions: readonly OpenCodeSession[]): OpenCodeSession[] =>
  sessions.toSorted((left, right) => right.updatedAt - left.updatedAt)

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
