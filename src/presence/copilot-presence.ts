import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Presence } from '../events/types.ts'
import { isSameProcess } from '../process/live-process.ts'
import { isPlainName } from './plain-name.ts'
import type { PresenceReader } from './presence.ts'

/**
 * Copilot has a file `inuse.<pid>.lock` in the directory of a session while a process works in it. The
 * process must live, and must have started before the file was made.
 */
export const createCopilotPresence = (copilotHome: string): PresenceReader => ({
  async find({ nativeId }) {
    if (!isPlainName(nativeId)) return { state: 'unknown' }
    const directory = join(copilotHome, 'session-state', nativeId)
    const found = await Promise.all(
      (await locksIn(directory)).map((name) => presenceOf(directory, name)),
    )
    const present = found.filter((each) => each !== undefined)
    return present.find(({ state }) => state === 'alive') ?? present[0] ?? { state: 'gone' }
  },
})

const locksIn = async (directory: string): Promise<string[]> => {
  const names = await readdir(directory).catch(() => [])
  return names.filter((name) => /^inuse\.[1-9]\d{0,9}\.lock$/.test(name)).slice(0, 100)
}

const presenceOf = async (directory: string, name: string): Promise<Presence | undefined> => {
  const pid = Number(name.split('.')[1])
  const lock = await lstat(join(directory, name)).catch(() => undefined)
  if (!lock?.isFile()) return undefined
  const isSame = isSameProcess(pid, { startedBefore: lock.mtimeMs })
  if (isSame === false) return undefined
  return { state: isSame === undefined ? 'unknown' : 'alive', pid }
}
