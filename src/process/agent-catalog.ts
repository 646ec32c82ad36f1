import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { AgentDescription } from '../agents/agent.ts'
import { sessionRefusal } from '../agents/check-start.ts'
import { knownAgent, knownAgents, protocolAgent, unknownAgent } from '../agents/known-agents.ts'
import { standingOf } from '../agents/recorded-versions.ts'
import type { AgentInfo, SandboxInfo } from '../api/types.ts'
import { Fault } from '../shared/fault.ts'
import { agentEnvironment } from './agent-environment.ts'
import { findAgent } from './find-agent.ts'
import {
  fileIdentity,
  installedVersion,
  rememberVersion,
  versionOfFiles,
} from './installed-version.ts'

/** The agents of this machine. */
export interface AgentCatalog {
  /** Every agent, with its version where it is installed. With a directory, also the agents of it. */
  list(directory?: string): Promise<AgentInfo[]>
  /** Why agents that are configured are not in the list, for people. */
  problems?(directory?: string): Promise<string[]>
  /**
   * Whether sessions with the agent can start. Rejects with a reason if there is no agent of that name,
   * if it has no sessions, or if its program is not found: then the reason says how to get it.
   */
  isInstalled(name: string, directory?: string): boolean | Promise<boolean>
}

/** Where a catalog gets its agents from. */
export interface CatalogSource {
  list(directory?: string): Promise<{ agents: readonly AgentDescription[]; problems: string[] }>
  find(name: string, directory?: string): Promise<AgentDescription>
}

export interface AgentCatalogOptions {
  /** How the agents run on this machine. */
  sandbox: SandboxInfo
  /** Default: the agents that come with Sluice. */
  source?: CatalogSource
  /** The agents to list. Default: all. */
  names?: readonly string[]
  now?(): number
  /** A version is read again after this time: a program’s file may be a link to another one. */
  refreshMs?: number
  /** How long `list` waits for a version; a later call returns it. */
  waitMs?: number
}

/** The version of one program, cached. */
interface CachedVersion {
  /** Identifies the file that the version was read from. */
  file: string
  at: number
  version?: string | null
  reading?: Promise<void>
}

/** Lists agents and caches their versions: `pi --version` can take seconds. */
export const createAgentCatalog = (options: AgentCatalogOptions): AgentCatalog => {
  const {
    sandbox,
    names,
    source = tableSource,
    now = Date.now,
    refreshMs = 10 * 60_000,
    waitMs = 500,
  } = options
  const cache = new Map<string, CachedVersion>()
  const isListed = (name: string) => names === undefined || names.includes(name)

  const refresh = (path: string, cached: CachedVersion): void => {
    cached.at = now()
    cached.reading ??= agentVersion(path).then((version) => {
      cached.version = version
      delete cached.reading
    })
  }

  const cachedFor = (path: string): CachedVersion => {
    const file = fileIdentity(path)
    const before = cache.get(path)
    const cached: CachedVersion = before?.file === file ? before : { file, at: 0 }
    cache.set(path, cached)
    if (cached.at <= now() - refreshMs) refresh(path, cached)
    return cached
  }

  const versionAt = async (path: string): Promise<string | null> => {
    const cached = cachedFor(path)
    if (cached.version === undefined)
      await Promise.race([cached.reading, pause(waitMs, undefined, { ref: false })])
    return cached.version ?? null
  }

  const infoOf = async (agent: AgentDescription): Promise<AgentInfo> => {
    const { name, title, isBuiltIn, capabilities, start, login, origin } = agent
    const path = findAgent(agent)
    const version =
      path === undefined || isBuiltIn === true ? null : await listedVersion(agent, path, versionAt)
    return {
      name,
      title,
      isInstalled: path !== undefined,
      ...(isBuiltIn && { isBuiltIn }),
      ...(version !== null && { version, standing: standingOf(name, version) }),
      ...(origin && { origin }),
      ...(login !== undefined && { login }),
      ...(path === undefined && { hint: installHint(agent) }),
      capabilities,
      ...(start && { start }),
      sandbox,
    }
  }

  return {
    async isInstalled(name, directory) {
      if (!isListed(name)) return false
      const agent = await source.find(name, directory)
      const refusal = sessionRefusal(agent)
      if (refusal !== undefined) throw new Fault('start_not_supported', refusal)
      if (findAgent(agent) === undefined) throw notInstalled(agent)
      return true
    },
    async list(directory) {
      const { agents } = await source.list(directory)
      return Promise.all(agents.filter(({ name }) => isListed(name)).map(infoOf))
    },
    problems: async (directory) => (await source.list(directory)).problems,
  }
}

const tableSource: CatalogSource = {
  list: async () => ({ agents: knownAgents, problems: [] }),
  async find(name) {
    const found = knownAgent(name)
    if (!found) throw unknownAgent(name)
    return found
  },
}

const run = promisify(execFile)

/** The version of a program by its files, or as it prints it; null when it prints none in time. */
export const agentVersion = async (path: string, timeoutMs = 15_000): Promise<string | null> => {
  const installed = versionOfFiles(path)
  if (installed !== undefined) return installed
  const limits = { timeout: timeoutMs, killSignal: 'SIGKILL' } as const
  try {
    const env = agentEnvironment()
    const { stdout, stderr } = await run(path, ['--version'], { ...limits, env })
    const version = /\d+\.\d+\.\d+\S*/.exec(stdout || stderr)?.[0] ?? null
    rememberVersion(path, version)
    return version
  } catch {
    return null
  }
}

/**
 * The version of an agent for a list. The program of a project runs in the sandbox only, so it is not
 * started for this: its version is known where its files state it.
 */
export const listedVersion = async (
  { origin, program }: AgentDescription,
  path: string,
  read: (path: string) => Promise<string | null> = agentVersion,
): Promise<string | null> => {
  if (origin && launchers.has(basename(program))) return null
  return origin === 'project' ? (installedVersion(path) ?? null) : await read(path)
}

/** Programs that start others: their version is not that of a configured agent. */
const launchers: ReadonlySet<string> = new Set([
  ...['bash', 'env', 'sh', 'ssh', 'docker', 'podman'],
  ...['bun', 'bunx', 'deno', 'node', 'npm', 'npx', 'pnpm', 'tsx', 'yarn'],
  ...['java', 'pipx', 'python', 'python3', 'uv', 'uvx'],
])

/** The fault of an agent that is not installed. It says how to get it. */
export const notInstalled = (agent: AgentDescription): Fault =>
  new Fault('agent_not_found', `${agent.title} is not installed: ${installHint(agent)}.`)

/** What to do about an agent that is not installed. */
export const installHint = (agent: AgentDescription): string => {
  const { name, program, programVariable, install } = agent
  if (name === protocolAgent) return 'describe your agent in an agents.json (docs/agents.md)'
  const path = `put \`${program}\` on PATH, or set ${programVariable} to its path`
  if (install === undefined) return path
  return install.startsWith('https://')
    ? `get it from ${install}, or set ${programVariable} to its path`
    : `run \`${install}\`, or set ${programVariable} to its path`
}
