import { existsSync, realpathSync } from 'node:fs'
import type { Agent, ProjectStart } from '../agents/agent.ts'
import { agentTitle, knownAgent } from '../agents/known-agents.ts'
import type { ProjectFile, ProjectTrust, TrustDecision } from '../api/types.ts'
import type { Log } from '../log/log.ts'
import type { SessionRecord } from '../log/types.ts'
import { agentVersion } from '../process/agent-catalog.ts'
import { Fault } from '../shared/fault.ts'
import { defined } from '../shared/fields.ts'
import { visibleName } from '../shared/visible-name.ts'
import { findProjectFiles } from '../trust/project-files.ts'
import { type ProjectReader, projectReaders, sluiceReader } from '../trust/project-readers.ts'
import { createTrustedProjects } from '../trust/trusted-projects.ts'
import { askLine } from './editor/ask-line.ts'
import { printError, printRawError } from './terminal.ts'

/**
 * Before a chat: asks whether to trust the files of the directory, if nobody decided yet. Returns what
 * the person decided; undefined if there was no question.
 */
export const offerTrust = async (
  projects: TrustSource,
  { agent, cwd }: Pick<SessionRecord, 'agent' | 'cwd'>,
): Promise<boolean | undefined> => {
  const looked = process.stdin.isTTY ? await projects.look(cwd) : undefined
  if (!looked) return undefined
  const { path, hash, state, files, fileCount, agents: loading } = looked
  const isOpen = state === 'undecided' || state === 'changed'
  if (hash === undefined || !isOpen || !loading.includes(agent)) return undefined
  const trusted = await askTrust(files, fileCount, state === 'changed')
  await projects.decide({ path, hash, trusted })
  return trusted
}

/** Where decisions about the files of directories are stored. */
export interface TrustSource {
  /** What agents would load from a directory; undefined if nobody can decide about it here. */
  look(directory: string): Promise<ProjectTrust | undefined>
  decide(decision: TrustDecision): Promise<unknown>
}

/** The decisions in the log that this process has open. */
export const localTrust = (log: Log): TrustSource => {
  const projects = createTrustedProjects({ log, agents: projectReaders })
  return {
    look: async (directory) => (existsSync(directory) ? projects.look(directory) : undefined),
    decide: (decision) => projects.decide(decision, 'terminal'),
  }
}

export interface RunTrustOptions {
  cwd: string
  /** The person trusts the project, so that nothing is asked. */
  isTrusted: boolean
}

/** How `sluice run` starts an agent in a directory. The answer is not stored. */
export const startForRun = async (
  agent: Agent,
  program: string,
  { cwd, isTrusted }: RunTrustOptions,
): Promise<ProjectStart> => {
  if (!agent.startInProject || !existsSync(cwd)) return { args: [] }
  const directory = realpathSync(cwd)
  const { files, hash } = await findProjectFiles(directory, [readerOf(agent)])
  // In a directory with too many files, not all of them were found, so nobody can be asked.
  const isWhole = hash !== undefined
  if (files.length === 0 && isWhole) return { args: [], ...defined({ env: agent.emptyProjectEnv }) }
  const isAsked = !isTrusted && isWhole && process.stdin.isTTY
  const trusts = isAsked ? await askTrust(files, files.length, false) : isTrusted
  const paths = files.map(({ path }) => path)
  const version = await agentVersion(program)
  const start = agent.startInProject({
    ...{ isTrusted: trusts, version, directory, paths, isTooLarge: !isWhole },
    isOneShot: true,
  })
  if (start.refusal !== undefined) throw new Fault('project_not_trusted', start.refusal)
  if (!trusts && !isAsked) {
    const leftOut = isWhole
      ? listed(paths)
      : 'the files of this project: they are too many to check'
    printError(`${agent.title} starts without ${leftOut}. To load them: --trust-project`)
  }
  return start
}

/**
 * Whether a person trusts the agents that a directory names, for one run. Asks in the terminal; the
 * answer is not stored.
 */
export const trustsAgentsOf = async ({ cwd, isTrusted }: RunTrustOptions): Promise<boolean> => {
  if (isTrusted || !process.stdin.isTTY) return isTrusted
  const { files, hash } = await findProjectFiles(realpathSync(cwd), [sluiceReader])
  return hash !== undefined && files.length > 0 && askTrust(files, files.length, false)
}

/** Who loads the files of a project when an agent starts: the agent, or the one inside it. */
const readerOf = (agent: Agent): ProjectReader =>
  agent.readsFilesOf === undefined ? agent : (knownAgent(agent.readsFilesOf) ?? agent)

/** How many files are named. */
const shownFiles = 15

const listed = (paths: readonly string[]): string => {
  const named = paths.slice(0, 3).map(visibleName).join(', ')
  return paths.length > 3 ? `${named} and ${paths.length - 3} more` : named
}

const kinds: Readonly<Record<ProjectFile['kind'], string>> = {
  settings: 'settings, which can name programs',
  mcp_servers: 'MCP servers, which are programs',
  hook: 'script of a hook',
  extension: 'extension, which is a program',
  agent: 'subagent',
  command: 'command',
  skill: 'skill',
}

/** Asks a person in the terminal. Anything but a yes is a no, and pasted text is no answer. */
const askTrust = async (
  files: readonly ProjectFile[],
  count: number,
  isChanged: boolean,
): Promise<boolean> => {
  const rows = files.slice(0, shownFiles).map(rowOf)
  const more = count > shownFiles ? [`  and ${count - shownFiles} more`] : []
  const why = isChanged ? 'The files that agents load from this folder have changed:' : firstTime
  printRawError(`${[why, ...rows, ...more, advice].join('\n')}\n`)
  let answer = await askLine(question)
  while (answer?.isPasted === true) {
    printError('Pasted text cannot answer this. Type y or n.')
    answer = await askLine(question)
  }
  return /^y(es)?$/i.test(answer?.text.trim() ?? '')
}

const question = 'Trust this folder? [y/N] '

const rowOf = ({ path, kind, agent }: ProjectFile): string => {
  const title = agentTitle(agent)
  return `  ${visibleName(path)}  (${title}: ${kinds[kind]})`
}

const firstTime = 'This folder has files that agents would load and could run:'
const advice = 'Trust it only if you trust who wrote them. Otherwise the agent starts without them.'
