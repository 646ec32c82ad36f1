import { statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import type { Agent, ProjectStart } from '../agents/agent.ts'
import type { ProjectFile, ProjectTrust, TrustDecision } from '../api/types.ts'
import type { Log } from '../log/log.ts'
import type { TrustRecord } from '../log/types.ts'
import { agentVersion } from '../process/agent-catalog.ts'
import { defined } from '../shared/fields.ts'
import { Problem } from '../shared/problem.ts'
import { hasOnlyFilesOf, worktreeOrigin } from './inherited-trust.ts'
import { findProjectFiles, type ProjectFileLimits, type ProjectFiles } from './project-files.ts'
import type { ProjectReader } from './project-readers.ts'

/**
 * Whether agents may load the settings, hooks and extensions of directories. A decision is about one
 * directory and the contents of its files: when they change, a person must decide again. It also holds
 * for the worktrees that Sluice made of the directory, as long as their files are the same.
 */
export interface TrustedProjects {
  /** What agents would load from a directory, and what a person decided about it. */
  look(directory: string): Promise<ProjectTrust>
  /** Stores a decision. Throws a `Problem` 409 if the files are not the ones that the person saw. */
  decide(decision: TrustDecision, by: string): Promise<ProjectTrust>
  /** Deletes the decision about a directory. */
  forget(directory: string): Promise<void>
  /** How an agent starts in a directory. */
  start(agent: Agent, program: string, directory: string): Promise<AgentStart>
}

/** How an agent starts in a directory. */
export interface AgentStart extends ProjectStart {
  /** Changes when the agent would start in another way. */
  key: string
  /** The files that the agent starts without. */
  leftOut: string[]
}

export interface TrustedProjectsOptions {
  log: Pick<Log, 'trust'>
  /** Whose files are looked for. */
  agents: readonly ProjectReader[]
  limits?: ProjectFileLimits
  now?(): number
}

/** How many files are listed at most. */
const listLimit = 200

export const createTrustedProjects = (options: TrustedProjectsOptions): TrustedProjects => {
  const { log, agents, limits, now = Date.now } = options
  const versionOf = createVersionCache()

  const find = async (directory: string): Promise<Looked> => {
    const path = await realpath(directory)
    const [files, decision] = await Promise.all([
      findProjectFiles(path, agents, limits),
      log.trust.get(path),
    ])
    const looked = { ...files, path, decision, state: stateOf(files, decision) }
    return looked.state === 'undecided' ? inherited(looked) : looked
  }

  /** The files of a worktree that nobody decided about, with what holds for the project. */
  const inherited = async (looked: Looked): Promise<Looked> => {
    const origin = worktreeOrigin(looked.path)
    const project = origin && (await find(origin.project).catch(missingDirectory))
    if (!origin || project?.state !== 'trusted') return looked
    if (!hasOnlyFilesOf(looked.contents, project.contents, origin)) return looked
    return { ...looked, state: 'trusted', decision: project.decision }
  }

  return {
    look: async (directory) => describe(await find(directory)),
    async decide({ path, hash, trusted }, by) {
      const looked = await find(path)
      if (looked.hash !== hash) throw changed(looked.path)
      const decision = { id: looked.path, hash, isTrusted: trusted, by, at: now() }
      await log.trust.put(decision)
      return describe({ ...looked, decision, state: stateOf(looked, decision) })
    },
    async forget(directory) {
      await log.trust.remove(await realpath(directory))
    },
    async start(agent, program, directory) {
      if (!agent.startInProject) return ordinaryStart
      const looked = await find(directory).catch(missingDirectory)
      // The program reports a directory that does not exist when it starts.
      if (!looked) return ordinaryStart
      const { path: real, files, hash, state } = looked
      const reader = agent.readsFilesOf ?? agent.name
      const paths = files.filter((file) => file.agent === reader).map(({ path }) => path)
      // In a directory with too many files, not all of them were found.
      if (paths.length === 0 && hash !== undefined)
        return { ...ordinaryStart, ...defined({ env: agent.emptyProjectEnv }) }
      const isTrusted = state === 'trusted'
      const isTooLarge = state === 'too_large'
      const version = await versionOf(program)
      return {
        ...agent.startInProject({ isTrusted, version, directory: real, paths, isTooLarge }),
        key: `${isTrusted}:${hash}`,
        leftOut: isTrusted ? [] : paths,
      }
    },
  }
}

const missingDirectory = (cause: unknown): undefined => {
  if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
}

/** There is nothing that the agent would load. */
const ordinaryStart: AgentStart = { args: [], key: '', leftOut: [] }

interface Looked extends ProjectFiles {
  path: string
  decision: TrustRecord | undefined
  state: ProjectTrust['state']
}

const stateOf = (
  { files, hash }: ProjectFiles,
  decision: TrustRecord | undefined,
): ProjectTrust['state'] => {
  if (hash === undefined) return 'too_large'
  if (files.length === 0) return 'not_needed'
  if (!decision) return 'undecided'
  if (decision.hash !== hash) return 'changed'
  return decision.isTrusted ? 'trusted' : 'declined'
}

const describe = ({ path, files, hash, state, decision }: Looked): ProjectTrust => ({
  path,
  state,
  ...(hash !== undefined && files.length > 0 && { hash }),
  files: files.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, listLimit),
  fileCount: files.length,
  agents: [...new Set(files.map(({ agent }) => agent))],
  ...(decision && { decidedAt: decision.at, by: decision.by }),
})

/** What runs without a question comes first, so that many harmless files cannot hide it. */
const rankOf = ({ kind }: ProjectFile): number =>
  ['settings', 'mcp_servers', 'extension', 'hook'].includes(kind) ? 0 : 1

const changed = (path: string) =>
  new Problem(
    409,
    'project_changed',
    `The files that agents would load from ${path} have changed since you saw them. Look at the list again.`,
  )

/** Reads the version of a program once, and again when its file changes. */
const createVersionCache = () => {
  const versions = new Map<string, Promise<string | null>>()
  return (program: string): Promise<string | null> => {
    const { ino, mtimeMs, size } = statSync(program)
    const key = [program, ino, mtimeMs, size].join(':')
    const version = versions.get(key) ?? agentVersion(program)
    versions.set(key, version)
    return version
  }
}
