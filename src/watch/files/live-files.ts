import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionLifecycleEvent } from '../../session/registry/sessions.ts'
import type { FileSource } from '../sources/file-source.ts'
import type { FileLibrary } from './library.ts'
import { createLiveFile, type LiveFile } from './live-file.ts'
import { ownerOfLoosePart } from './loose-parts.ts'
import { createReadTurns } from './read-turns.ts'

/** The session files that agents write to now. Only these are in memory. */
export interface LiveFiles {
  /** A file may have changed: what is new in its session is read. */
  changed(source: FileSource, root: string, path: string): void
  isLive(root: string, path: string): boolean
  /** What was switched off since then is left, after the end of its run. */
  recheck(): void
  /** A session that Sluice runs from now on, or that was deleted, is no longer read. */
  onSession(event: SessionLifecycleEvent): void
  close(): Promise<void>
}

export interface LiveFilesOptions {
  library: FileLibrary
  now(): number
  /** Called when a file is dropped that has changes which were not read. */
  onUnread(): void
  onError(cause: unknown): void
}

/** More sessions than these are not followed: those that have not changed for longest are dropped. */
const maxLive = 200

export const createLiveFiles = (options: LiveFilesOptions): LiveFiles => {
  const { library, now, onUnread, onError } = options
  /** Those that changed last come last. */
  const live = new Map<string, LiveFile>()
  const turns = createReadTurns()
  /** Those that are dropped, and still read or stored. */
  const leaving = new Map<string, LiveFile>()
  let isClosed = false

  const changed = (source: FileSource, root: string, path: string): void => {
    if (isClosed) return
    const key = keyOf(root, path)
    const found = live.get(key)
    if (!found && library.isOff(source, root, path)) return
    // One file has one reader. What changes now is read after the next scan.
    const left = leaving.get(key)
    left?.changed()
    if (left) return
    live.delete(key)
    const file: LiveFile =
      found ??
      createLiveFile({
        ...{ library, source, root, path, turns, now, onError },
        onDropped(hasUnread) {
          for (const each of [live, leaving]) if (each.get(key) === file) each.delete(key)
          if (hasUnread && !isClosed) onUnread()
        },
      })
    live.set(key, file)
    file.changed()
    if (live.size > maxLive) dropOldest()
  }
  /** It leaves at once, so that however many files change, only so many wait to be read. */
  const dropOldest = (): void => {
    const [[key, oldest] = []] = live
    if (key === undefined || !oldest) return
    live.delete(key)
    leaving.set(key, oldest)
    void oldest.drop({ isNoted: true })
  }

  return {
    changed(source, root, path) {
      const what = source.fileAt(path)
      if (what?.kind === 'session') changed(source, root, path)
      if (what?.kind === 'loose')
        ownerOfLoosePart(source, root, path).then(
          (owner) => owner !== undefined && changed(source, root, owner),
          onError,
        )
      if (what?.kind !== 'part') return
      const { directory, name } = what.session
      readdir(join(root, directory)).then(
        (names) => {
          const found = names.find((each) => name.test(each))
          if (found !== undefined) changed(source, root, `${directory}/${found}`)
        },
        () => {}, // It is gone.
      )
    },
    isLive(root, path) {
      const key = keyOf(root, path)
      return live.has(key) || leaving.has(key)
    },
    recheck() {
      for (const file of live.values()) file.changed()
    },
    onSession(event) {
      const isRemoved = event.type === 'session_removed'
      if (!isRemoved && event.session.watched && event.session.removedAt === undefined) return
      const id = isRemoved ? event.sessionId : event.session.id
      for (const file of live.values()) if (file.sessionId() === id) void file.drop()
    },
    async close() {
      isClosed = true
      await Promise.all([...live.values(), ...leaving.values()].map((file) => file.drop()))
    },
  }
}

const keyOf = (root: string, path: string): string => `${root}/${path}`
