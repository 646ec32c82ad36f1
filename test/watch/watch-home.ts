import { onTestFinished } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import type { Log } from '../../src/log/log.ts'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import { openFileWatcher } from '../../src/watch/files/file-watcher.ts'
import { openFileLibrary } from '../../src/watch/files/library.ts'
import { fileSources } from '../../src/watch/sources/file-sources.ts'

export interface WatchHomeOptions {
  scanMs?: number
  now?(): number
  onNotice?(message: string): void
  onError?(cause: unknown): void
}

/** Watches a home directory, as a server does. */
export const watchHome = (
  home: string,
  log: Log,
  { onError = rethrow, ...options }: WatchHomeOptions = {},
) => {
  const published: StampedEvent[] = []
  const history: StampedEvent[] = []
  const watched = createWatchedSessions({
    log,
    publish: (event) => published.push(event),
    publishHistory: (event) => history.push(event),
    notify() {},
    onError,
  })
  const watcher = openFileWatcher({
    ...{ sources: fileSources, env: {}, home, onError, ...options },
    openLibrary: () => openFileLibrary({ log, watched }),
  })
  const close = async () => {
    await watcher.close()
    await watched.close()
  }
  onTestFinished(close)
  return { published, history, watcher, close }
}

const rethrow = (cause: unknown): never => {
  throw cause
}

/** The events without what depends on when they were read. */
export const comparable = (events: readonly StampedEvent[]) =>
  events
    .filter(({ type }) => type !== 'turn_state')
    .map(({ readUpTo: _, seq: __, ...event }) => event)
