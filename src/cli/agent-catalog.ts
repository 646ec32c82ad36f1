import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { AgentDescription } from '../agents/agent.ts'
import { agents, isAgentName } from '../agents/table.ts'
import type { AgentInfo } from '../api/types.ts'
import type { AgentCatalog } from '../http/app-context.ts'
import { findAgent } from '../process/find-agent.ts'
import { agentVersion, hintFor } from './agents.ts'

export interface AgentCatalogOptions {
  now?(): number
  /** After so long a program is asked again, behind the answer: its file may be a mere link. */
  keepMs?: number
  /** So long an answer waits for a version; whoever asks later gets it. */
  patienceMs?: number
}

/** What a program said of itself. */
interface Known {
  /** Which file it was. */
  file: string
  at: number
  version?: string | null
  asking?: Promise<void>
}

/** The agents of this machine, for the server. Asking a program for its version takes a while. */
export const createAgentCatalog = (options: AgentCatalogOptions = {}): AgentCatalog => {
  const { now = Date.now, keepMs = 10 * 60_000, patienceMs = 500 } = options
  const known = new Map<string, Known>()

  const ask = (path: string, about: Known): void => {
    about.at = now()
    about.asking ??= agentVersion(path).then((version) => {
      about.version = version
      delete about.asking
    })
  }

  const aboutOf = (path: string): Known => {
    const file = fileOf(path)
    const before = known.get(path)
    const about: Known = before?.file === file ? before : { file, at: 0 }
    known.set(path, about)
    if (about.at <= now() - keepMs) ask(path, about)
    return about
  }

  const programVersion = async (path: string): Promise<string | null> => {
    const about = aboutOf(path)
    if (about.version === undefined)
      await Promise.race([about.asking, pause(patienceMs, undefined, { ref: false })])
    return about.version ?? null
  }

  const infoOf = async (agent: AgentDescription): Promise<AgentInfo> => {
    const { name, title, isBuiltIn } = agent
    const path = findAgent(agent)
    const version = path === undefined || isBuiltIn === true ? null : await programVersion(path)
    return {
      name,
      title,
      isInstalled: path !== undefined,
      ...(isBuiltIn && { isBuiltIn }),
      ...(version !== null && { version }),
      ...(path === undefined && { hint: hintFor(agent) }),
    }
  }

  return {
    isInstalled: (name) => isAgentName(name) && findAgent(agents[name]) !== undefined,
    list: () => Promise.all(Object.values(agents).map(infoOf)),
  }
}

/** A program that is replaced is another file, or a file that has changed. */
const fileOf = (path: string): string => {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path)
    return [ino, size, mtimeMs, ctimeMs].join(':')
  } catch {
    return ''
  }
}
