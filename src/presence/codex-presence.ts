import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { lockHolders } from '../process/lock-holders.ts'
import { isPlainName } from './plain-name.ts'
import type { PresenceReader } from './presence.ts'
import type { UnmarkedPresence } from './unmarked-presence.ts'

/**
 * Codex holds a lock on `thread-writer-locks/<id>.lock` while a process works in a thread. The file of a
 * process that was killed can stay behind, without a lock.
 */
export const createCodexPresence = (
  codexHome: string,
  unmarked: UnmarkedPresence,
): PresenceReader => {
  const directory = join(codexHome, 'thread-writer-locks')
  return {
    directory,
    async find(query) {
      const { nativeId } = query
      if (!isPlainName(nativeId)) return { state: 'unknown' }
      const lock = await lstat(join(directory, `${nativeId}.lock`), { bigint: true }).catch(
        () => undefined,
      )
      // Earlier versions have no locks.
      if (!lock) return (await exists(directory)) ? { state: 'gone' } : unmarked.find(query)
      if (!lock.isFile()) return { state: 'unknown' }
      const holders = lockHolders(lock)
      if (holders === undefined) return { state: 'unknown' }
      const [pid] = holders
      if (pid === undefined) return { state: 'gone' }
      return { state: 'alive', ...(pid > 0 && { pid }) }
    },
  }
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
