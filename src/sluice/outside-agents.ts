import { homedir } from 'node:os'
import type { Log } from '../log/log.ts'
import { createPresenceRegistry } from '../presence/presence-registry.ts'
import type { SessionLifecycleEvent, Sessions } from '../session/registry/sessions.ts'
import {
  type FileWatcher,
  openFileWatcher,
  type WatchedDirectory,
} from '../watch/files/file-watcher.ts'
import { openFileLibrary } from '../watch/files/library.ts'
import { createPresenceFollower } from '../watch/presence-follower.ts'
import { fileSources } from '../watch/sources/file-sources.ts'
import { openCodeFile } from '../watch/stores/opencode-file.ts'
import { openOpenCodeWatcher } from '../watch/stores/opencode-watcher.ts'
import { createTakeover, type Takeover } from '../watch/takeover.ts'
import type { WatchedSessions } from '../watch/watched-sessions.ts'

/** What a server does about agents that run outside Sluice. */
export interface OutsideAgents {
  readonly takeover: Takeover
  /** The directories whose sessions are read. */
  watchedDirectories(): WatchedDirectory[]
  onSession(event: SessionLifecycleEvent): void
  close(): Promise<void>
}

interface OutsideAgentsOptions {
  log: Log
  watched: WatchedSessions
  sessions: Sessions
  /** Whether the sessions that agents store on this machine are read. */
  watch?: boolean | undefined
  onError(cause: unknown): void
}

export const openOutsideAgents = (options: OutsideAgentsOptions): OutsideAgents => {
  const presence = createPresenceRegistry()
  const follower = createPresenceFollower({ ...options, presence })
  void follower.start().catch(options.onError)
  const files = options.watch ? openFiles(options) : undefined
  const openCode = options.watch
    ? openOpenCodeWatcher({ ...options, file: openCodeFile() })
    : undefined
  return {
    takeover: createTakeover({ ...options, presence }),
    watchedDirectories: () => [files, openCode].flatMap((each) => each?.directories() ?? []),
    onSession(event) {
      follower.onSession(event)
      files?.onSession(event)
    },
    async close() {
      presence.close()
      await Promise.all([files?.close(), openCode?.close()])
      await follower.close()
    },
  }
}

const openFiles = ({ log, watched, onError }: OutsideAgentsOptions): FileWatcher =>
  openFileWatcher({
    ...{ sources: fileSources, env: process.env, home: homedir(), onError },
    openLibrary: () => openFileLibrary({ log, watched }),
  })
