import { resolveLinks } from '../files/real-path.ts'
import type { RecordStore } from '../log/log.ts'
import type { SettingRecord } from '../log/types.ts'
import { fieldsOf, stringsOf } from '../shared/fields.ts'
import { Problem } from '../shared/problem.ts'

/** Agents whose sessions are not read, and directories whose sessions are not. */
export interface SwitchedOff {
  agents: readonly string[]
  projects: readonly string[]
}

/** An agent, or a directory with everything below it. */
export type WatchTarget = { agent: string } | { project: string }

/** What people have switched off. It is stored in the log, so several nodes share it. */
export interface WatchSwitches {
  /** Reads what is stored: another node may have changed it. Nothing may be asked before. */
  load(): Promise<void>
  off(): SwitchedOff
  /** Whether the sessions of an agent in a directory are not read. Without `cwd`: of the whole agent. */
  isOff(session: { agent: string; cwd?: string | undefined }): boolean
  /** Resolves when it is stored. Rejects with a `Problem` when too much is switched off. */
  set(target: WatchTarget, isOff: boolean): Promise<void>
}

interface SwitchesOptions {
  settings: Pick<RecordStore<SettingRecord>, 'get' | 'change'>
  /** Called when something was switched on or off. */
  onChange(): void
}

const settingId = 'watch_off'
const maxProjects = 500

export const createWatchSwitches = ({ settings, onChange }: SwitchesOptions): WatchSwitches => {
  let off: SwitchedOff = { agents: [], projects: [] }

  const note = (value: string | undefined): void => {
    const before = textOf(off)
    off = switchedOffIn(value)
    if (textOf(off) !== before) onChange()
  }

  return {
    load: async () => note((await settings.get(settingId))?.value),
    off: () => off,
    isOff({ agent, cwd }) {
      if (off.agents.includes(agent)) return true
      if (cwd === undefined || off.projects.length === 0) return false
      const real = resolveLinks(cwd) ?? cwd
      return off.projects.some((project) => isWithin(project, cwd) || isWithin(project, real))
    },
    async set(target, isOff) {
      const stored = await settings.change(settingId, (record) => {
        const changed = changedBy(switchedOffIn(record?.value), target, isOff)
        const isTooMuch = isOff && changed.projects.length > maxProjects
        return isTooMuch ? record : { id: settingId, value: textOf(changed) }
      })
      note(stored?.value)
      if (isOff && !isAmong(off, target))
        throw new Problem(422, 'not_supported', `At most ${maxProjects} projects can be off.`)
    },
  }
}

const changedBy = (
  { agents, projects }: SwitchedOff,
  target: WatchTarget,
  isOff: boolean,
): SwitchedOff => {
  const change = (names: readonly string[], name: string) => {
    const others = names.filter((each) => each !== name)
    return isOff ? [...others, name].toSorted() : others
  }
  return 'agent' in target
    ? { agents: change(agents, target.agent), projects }
    : { agents, projects: change(projects, target.project) }
}

const isAmong = ({ agents, projects }: SwitchedOff, target: WatchTarget): boolean =>
  'agent' in target ? agents.includes(target.agent) : projects.includes(target.project)

const isWithin = (directory: string, path: string): boolean =>
  path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`)

const textOf = ({ agents, projects }: SwitchedOff): string => JSON.stringify({ agents, projects })

const switchedOffIn = (value = '{}'): SwitchedOff => {
  const { agents, projects } = fieldsOf(JSON.parse(value))
  return { agents: stringsOf(agents), projects: stringsOf(projects) }
}
