import { stat } from 'node:fs/promises'
import { agentTitle } from '../agents/known-agents.ts'
import { resolveLinks } from '../files/real-path.ts'
import { Problem } from '../shared/problem.ts'
import type { WatchSwitches, WatchTarget } from './watch-switches.ts'

/** Where an agent stores its sessions on this machine. */
export interface WatchedPlace {
  agent: string
  /** A directory, or the database of all sessions. */
  path: string
}

/** What is read of an agent. */
export interface PlaceState extends WatchedPlace {
  title: string
  /** Whether there is such a directory. */
  exists: boolean
  isOff: boolean
}

/** What this server reads of agents that run outside Sluice. */
export interface WatchState {
  /** False: this server reads nothing. */
  isOn: boolean
  agents: PlaceState[]
  /** Directories whose sessions are not read. */
  projectsOff: string[]
}

/** Shows what is read of agents outside Sluice, and switches it off and on. */
export interface Watching {
  report(): Promise<WatchState>
  /** Resolves when it is stored, with the target that was meant. Rejects with a `Problem`. */
  set(target: WatchTarget, isOff: boolean): Promise<WatchTarget>
}

export interface WatchingOptions {
  isOn: boolean
  places: readonly WatchedPlace[]
  switches: WatchSwitches
}

export const createWatching = ({ isOn, places, switches }: WatchingOptions): Watching => ({
  async report() {
    await switches.load()
    const agents = places.map(async (place) => ({
      ...place,
      title: agentTitle(place.agent),
      exists: await exists(place.path),
      isOff: switches.isOff({ agent: place.agent }),
    }))
    return { isOn, agents: await Promise.all(agents), projectsOff: [...switches.off().projects] }
  },
  async set(target, isOff) {
    if ('agent' in target && !places.some(({ agent }) => agent === target.agent))
      throw unknownAgent(target.agent, places)
    const meant = 'agent' in target ? target : { project: await projectIn(target, switches, isOff) }
    await switches.set(meant, isOff)
    return meant
  },
})

const unknownAgent = (agent: string, places: readonly WatchedPlace[]): Problem => {
  const names = places.map((place) => place.agent).join(', ')
  const message = `Sluice does not read the sessions of “${agent}”. Choose one of: ${names}.`
  return new Problem(422, 'not_supported', message)
}

/** The directory without links. One that is gone since it was switched off is taken as it is stored. */
const projectIn = async (
  { project }: { project: string },
  switches: WatchSwitches,
  isOff: boolean,
): Promise<string> => {
  await switches.load()
  if (!isOff && switches.off().projects.includes(project)) return project
  return resolveLinks(project) ?? project
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
