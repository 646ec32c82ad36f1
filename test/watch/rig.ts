import type { StampedEvent } from '../../src/events/types.ts'
import type { Log } from '../../src/log/index.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import type { SessionRecord } from '../../src/log/types.ts'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import { rootOf } from '../../src/watch/files/find-files.ts'
import { type ImportCount, importFiles } from '../../src/watch/files/import-files.ts'
import { openFileLibrary } from '../../src/watch/files/library.ts'
import { fileSources } from '../../src/watch/sources/file-sources.ts'

/** Imports everything below a home directory into a log, as a new start of Sluice would. */
export const importHome = async (
  home: string,
  log: Log,
  {
    env = {},
    agent,
    onError = rethrow,
  }: { env?: NodeJS.ProcessEnv; agent?: string; onError?: (cause: unknown) => void } = {},
): Promise<ImportCount[]> => {
  const watched = createWatchedSessions({
    log,
    publish() {},
    publishHistory() {},
    notify() {},
    onError: rethrow,
  })
  const library = await openFileLibrary({ log, watched })
  const counts: ImportCount[] = []
  for (const source of fileSources) {
    const root = await rootOf(source, env, home)
    if (root === undefined || (agent !== undefined && source.agent !== agent)) continue
    counts.push(await importFiles({ library, source, root, onError }))
  }
  await watched.close()
  return counts
}

export const memoryLog = (): Promise<Log> => openMemoryLog()

export const eventsOf = async (log: Log, id: string): Promise<StampedEvent[]> => {
  const events: StampedEvent[] = []
  for await (const event of log.read(id, 0)) events.push(event)
  return events
}

export const sessionsOf = (log: Log): Promise<SessionRecord[]> => log.sessions.list({ limit: 1000 })

const rethrow = (cause: unknown): never => {
  throw cause
}
