import { realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import type { WorktreeInfo } from '../api/types.ts'
import type { Client } from '../client/client.ts'
import { Fault } from '../shared/fault.ts'
import { listWorktrees, readWorktreeStatus } from '../worktrees/list-worktrees.ts'
import { checkWorktree, removeWorktree } from '../worktrees/worktrees.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { onServer, type ServerTarget, serverAt } from './remote/server-target.ts'
import type { Terminal } from './terminal.ts'
import { wrapText } from './wrap-text.ts'

export interface WorktreeOptions extends ServerTarget {
  /** The project. */
  cwd: string
  json: boolean
}

export interface WorktreeRemovalOptions extends WorktreeOptions {
  /** Names of worktrees; none: all in which everything is committed. */
  names: readonly string[]
  /** Also with changes that are not committed. */
  force: boolean
}

type LocalWorktree = Omit<WorktreeInfo, 'projectId'>

/** `sluice worktrees`: the git worktrees that were made for sessions in a project. */
export const printWorktrees = async (
  options: WorktreeOptions,
  terminal: Terminal,
): Promise<number> => {
  const { worktrees } = await findAll(options)
  const columns = terminal.size()?.columns ?? Number.POSITIVE_INFINITY
  if (options.json) for (const each of worktrees) terminal.writeJson(each)
  else if (worktrees.length === 0) terminal.write(`No worktrees in ${plainLine(options.cwd)}.\n`)
  else for (const each of worktrees) terminal.write(worktreeText(each, columns))
  await terminal.flush()
  return exitCodes.done
}

/** `sluice worktrees remove`: deletes worktrees by name, or all in which everything is committed. */
export const removeWorktrees = async (
  options: WorktreeRemovalOptions,
  terminal: Terminal,
): Promise<number> => {
  const { names, force } = options
  const { worktrees, remove } = await findAll(options)
  const chosen =
    names.length === 0
      ? worktrees.filter(({ state }) => state === 'clean')
      : names.map((name) => requireNamed(worktrees, name))
  const changed = chosen.find(({ state }) => state === 'changed')
  if (changed && !force)
    throw new Fault(
      'usage',
      `${changed.path} has changes that are not committed. Commit them, or add --force to lose them.`,
    )
  for (const each of chosen) {
    await remove(each, force)
    if (options.json) terminal.writeJson(each)
    else terminal.write(`Deleted ${plainLine(basename(each.path))}.${branchText(each)}\n`)
  }
  if (chosen.length === 0 && !options.json) terminal.write(nothingText(worktrees))
  await terminal.flush()
  return exitCodes.done
}

const nothingText = (worktrees: readonly LocalWorktree[]): string =>
  worktrees.some(({ state }) => state === 'changed')
    ? 'Nothing deleted: the worktrees have changes that are not committed. To lose them, give a name and --force.\n'
    : 'Nothing to delete.\n'

const branchText = ({ branch, commits }: LocalWorktree): string =>
  commits > 0 && branch !== undefined ? ` The branch ${plainLine(branch)} stays.` : ''

interface FoundAll {
  worktrees: readonly LocalWorktree[]
  remove(worktree: LocalWorktree, force: boolean): Promise<void>
}

/** A server knows which agents work where. Without one, git is asked. */
const findAll = async (options: WorktreeOptions): Promise<FoundAll> => {
  const server = serverAt(options)
  if (server) return onServer(options, () => findOnServer(server, options))
  const project = await realpath(options.cwd)
  const worktrees: LocalWorktree[] = []
  for (const found of await listWorktrees(project))
    worktrees.push({
      ...{ ...found, project, sessionIds: [] },
      ...(await readWorktreeStatus(found, { project })),
    })
  // Says what is wrong with a directory that has none because it has no repository.
  if (worktrees.length === 0) await checkWorktree({ directory: project, fromHead: true })
  return {
    worktrees,
    remove: async ({ path, branch = '' }) => void (await removeWorktree({ path, branch, project })),
  }
}

const findOnServer = async (client: Client, options: WorktreeOptions): Promise<FoundAll> => {
  // A server elsewhere has other directories.
  const project = options.url === undefined ? await realpath(options.cwd) : undefined
  const all = await client.worktrees.list()
  return {
    worktrees: project === undefined ? all : all.filter((each) => each.project === project),
    remove: ({ path }, force) => onServer(options, () => client.worktrees.remove(path, { force })),
  }
}

/** By the name of its directory, its branch, or its path. */
const requireNamed = (worktrees: readonly LocalWorktree[], name: string): LocalWorktree => {
  const found = worktrees.find(({ path, branch }) =>
    [path, basename(path), branch].includes(name.replace(/\/$/, '')),
  )
  if (found) return found
  throw new Fault('usage', `There is no worktree ${name}. List them with: sluice worktrees`)
}

const worktreeText = (worktree: LocalWorktree, columns: number): string => {
  const { path, branch, sessionIds } = worktree
  const about = [
    stateText(worktree),
    ...(sessionIds.length > 0
      ? [`session ${sessionIds.map((id) => id.slice(0, 8)).join(', ')}`]
      : []),
    ...(branch === undefined ? ['no branch'] : [`branch ${plainLine(branch)}`]),
  ].join(', ')
  // A path is never broken: a person copies it.
  return `${plainLine(basename(path))}\n${wrapText(about, columns, '  ')}\n  ${plainLine(path)}\n`
}

const stateText = ({ state, changedFiles, commits }: LocalWorktree): string => {
  if (state === 'missing') return 'deleted'
  const ahead = commits === 0 ? '' : `, ${commits} ${commits === 1 ? 'commit' : 'commits'} to merge`
  if (state === 'clean') return `everything is committed${ahead}`
  return `${changedFiles} ${changedFiles === 1 ? 'file' : 'files'} not committed${ahead}`
}
