import { homedir } from 'node:os'
import type { Log } from '../log/log.ts'
import type { PresenceRegistry } from '../presence/presence.ts'
import { createPresenceRegistry } from '../presence/presence-registry.ts'
import type { SessionLifecycleEvent, Sessions } from '../session/registry/sessions.ts'
import { type FileWatcher, openFileWatcher } from '../watch/files/file-watcher.ts'
import { openFileLibrary } from '../watch/files/library.ts'
import { followLostMachines } from '../watch/lost-machines.ts'
import type { OtherMachines } from '../watch/other-machines.ts'
import { createPresenceFollower } from '../watch/presence-follower.ts'
import { fileSources } from '../watch/sources/file-sources.ts'
import { openCodeFile } from '../watch/stores/opencode-file.ts'
import { type OpenCodeWatcher, openOpenCodeWatcher } from '../watch/stores/opencode-watcher.ts'
import { createTakeover, type Takeover } from '../watch/takeover.ts'
import { createWatchSwitches, type WatchSwitches } from '../watch/watch-switches.ts'
import type { WatchedSessions } from '../watch/watched-sessions.ts'
import { createWatching, type Watching } from '../watch/watching.ts'

/** What a server does about agents that run outside Sluice. */
export interface OutsideAgents {
  readonly takeover: Takeover
  readonly watching: Watching
  /** What the agents do. */
  readonly presence: PresenceRegistry
  onSession(event: SessionLifecycleEvent): void
  /** This node can claim sessions again: what it did not see meanwhile is read. */
  onJoined(): void
  close(): Promise<void>
}

interface OutsideAgentsOptions {
  log: Log
  watched: WatchedSessions
  sessions: Sessions
  /** Whether the sessions that agents store on this machine are read. */
  watch?: boolean | undefined
  /** Present when several nodes share the log. */
  machines?: OtherMachines | undefined
  /** Receives what people should know. */
  onNotice?(message: string): void
  onError(cause: unknown): void
}

export const openOutsideAgents = (options: OutsideAgentsOptions): OutsideAgents => {
  const { machines, onError } = options
  const presence = createPresenceRegistry()
  machines?.serve(presence.find)
  const stopFollowing = machines && followLostMachines({ ...options, machines })
  const follower = createPresenceFollower({ ...options, presence, node: machines?.node })
  const start = (): void => void follower.start().catch(onError)
  start()
  let files: FileWatcher | undefined
  let openCode: OpenCodeWatcher | undefined
  const recheck = (): void => {
    for (const each of [files, openCode]) each?.recheck()
  }
  const switches = createWatchSwitches({ settings: options.log.settings, onChange: recheck })
  if (options.watch) {
    files = openFiles(options, switches)
    openCode = openOpenCodeWatcher({ ...options, switches, file: openCodeFile() })
  }
  return {
    takeover: createTakeover({ ...options, presence }),
    watching: createWatching({ isOn: options.watch === true, places: placesHere(), switches }),
    presence,
    onSession(event) {
      follower.onSession(event)
      files?.onSession(event)
    },
    onJoined() {
      start()
      recheck()
    },
    async close() {
      presence.close()
      await stopFollowing?.()
      await Promise.all([files?.close(), openCode?.close()])
      await follower.close()
    },
  }
}

const placesHere = () => [
  ...fileSources.map(({ agent, directory }) => ({
    agent,
    path: directory(process.env, homedir()),
  })),
  { agent: 'opencode', path: openCodeFile() },
]

const openFiles = (
  { log, watched, onNotice, onError }: OutsideAgentsOptions,
  switches: WatchSwitches,
): FileWatcher =>
  openFileWatcher({
    ...{ sources: fileSources, env: process.env, home: homedir(), switches, onError },
    ...(onNotice && { onNotice }),
    openLibrary: () => openFileLibrary({ log, watched, switches }),
  })
