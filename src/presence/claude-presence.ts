import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Presence } from '../events/types.ts'
import { isSameProcess } from '../process/live-process.ts'
import { countOf, defined, type Fields, fieldsOf, stringOf } from '../shared/fields.ts'
import type { PresenceReader } from './presence.ts'
import { readMarker } from './read-marker.ts'
import type { UnmarkedPresence } from './unmarked-presence.ts'

/**
 * Reads `sessions/<pid>.json`, in which each process of Claude Code says what it does. The file of a
 * process that was killed stays, so the process must live and must have started when the file says. The
 * session of a process can change: after `/clear` and `/branch` it works in another one. What lies
 * beside these files is not read: there are keys.
 */
export const createClaudePresence = (
  configDirectory: string,
  unmarked: UnmarkedPresence,
): PresenceReader => {
  const directory = join(configDirectory, 'sessions')
  return {
    directory,
    async find(query) {
      const names = await markersIn(directory)
      const found = await Promise.all(
        names.map((name) => presenceIn(directory, name, query.nativeId)),
      )
      const present = found.filter((each) => each !== undefined)
      const [first] = present.toSorted(byUrgency)
      // Earlier versions write no such file.
      return first ?? unmarked.find(query, new Set(names.map((name) => Number.parseInt(name, 10))))
    },
  }
}

/** Processes of one session, the one first that a person should look at. */
const byUrgency = (left: Presence, right: Presence): number =>
  urgency.indexOf(left.state) - urgency.indexOf(right.state)

const urgency = ['waiting', 'working', 'idle', 'alive', 'unknown', 'gone']

/** The most files of a directory that are read: more processes than that do not run. */
const maxMarkers = 1000

const markersIn = async (directory: string): Promise<string[]> => {
  const names = await readdir(directory).catch(() => [])
  return names.filter((name) => /^[1-9]\d{0,9}\.json$/.test(name)).slice(-maxMarkers)
}

const presenceIn = async (
  directory: string,
  name: string,
  nativeId: string,
): Promise<Presence | undefined> => {
  const marker = markerOf(await readMarker(join(directory, name)))
  const pid = Number.parseInt(name, 10)
  if (marker.sessionId !== nativeId || countOf(marker.pid) !== pid) return undefined
  const isSame = isSameProcess(pid, {
    startTicks: stringOf(marker.procStart),
    startedBefore: countOf(marker.startedAt),
  })
  if (isSame === false) return undefined
  const state = states.get(stringOf(marker.status) ?? '') ?? 'alive'
  if (isSame === undefined) return { state: 'unknown', pid }
  const waitingFor = state === 'waiting' ? stringOf(marker.waitingFor)?.slice(0, 200) : undefined
  return { state, pid, ...defined({ waitingFor }) }
}

const markerOf = (text: string | undefined): Fields => {
  try {
    return fieldsOf(JSON.parse(text ?? ''))
  } catch {
    return {} // it is being written
  }
}

const states: ReadonlyMap<string, Presence['state']> = new Map([
  ['busy', 'working'],
  ['idle', 'idle'],
  ['waiting', 'waiting'],
])
