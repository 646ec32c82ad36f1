import type { BigIntStats } from 'node:fs'
import { findChangedPaths } from './changed-paths.ts'
import { inBatches } from './concurrency.ts'
import { filteredPaths } from './filters.ts'
import { type Git, GitFault } from './git.ts'
import { pathBytes, pathsAsInput, type RawPath, rawPathOf } from './git-format.ts'
import type { TurnDiffLimits } from './limits.ts'
import { statsOf, type UnreadFile, unreadFileOf } from './unread-files.ts'
import type { WorkTree } from './work-tree.ts'

/** The files of a directory at one moment, by paths relative to it. */
export interface CapturedTree {
  /** The id of a git tree with all files whose content was read. */
  tree: string
  /** Files whose content was not read. */
  unread: UnreadFile[]
  /** Repositories inside, which git leaves out. */
  nested: RawPath[]
}

export interface CaptureOptions {
  /** Writes to an index and objects of our own. */
  git: Git
  workTree: WorkTree
  filters: readonly string[]
  limits: TurnDiffLimits
  /** Files that an earlier capture did not read. */
  before?: readonly UnreadFile[]
}

/**
 * Writes the files of a directory as a git tree. A repository calls it twice: when a turn starts,
 * and when its changes are read. It updates the index that git was given.
 */
export const captureTree = async (options: CaptureOptions): Promise<CapturedTree> => {
  const { git, workTree, limits, before = [] } = options
  const prefix = rawPathOf(workTree.prefix)
  const changed = await findChangedPaths(git, workTree, limits.candidates)
  const marks = new Map(before.map(({ path, mark }) => [`${prefix}${path}`, mark]))
  const paths = [...new Set([...changed.files, ...marks.keys()])]
  const candidates = await inBatches(paths, 256, async (path) => ({
    path,
    stats: await statsOf(pathBytes(`${rawPathOf(workTree.top)}/${path}`)),
  }))
  const filtered = await filteredPaths(git, options.filters, paths)
  const unread = chooseUnread(candidates, filtered, marks, limits)

  // Files that were deleted leave the index; unread files of before enter it if they still exist.
  const changedFiles = new Set(changed.files)
  const isStaged = ({ path, stats }: Candidate) =>
    !unread.has(path) && (changedFiles.has(path) || (stats !== undefined && !stats.isDirectory()))
  const toStage = candidates.filter(isStaged).map(({ path }) => path)
  const unreadable = await stage(git, toStage, new Set())
  for (const { path, stats } of candidates)
    if (stats && unreadable.has(path)) unread.set(path, unreadFileOf(path, stats, 'binary'))
  await unstage(git, [...unread.keys(), ...changed.unmerged])

  const inside = (path: RawPath) => path.slice(prefix.length)
  return {
    tree: await writeTree(git, workTree.prefix),
    unread: [...unread.values()].map((file) => ({ ...file, path: inside(file.path) })),
    nested: changed.repositories.map(inside),
  }
}

interface Candidate {
  path: RawPath
  stats: BigIntStats | undefined
}

/** Chooses the files that are not read: filtered ones, large ones, and those beyond the limit. */
const chooseUnread = (
  candidates: readonly Candidate[],
  filtered: ReadonlySet<RawPath>,
  marks: ReadonlyMap<RawPath, string>,
  limits: TurnDiffLimits,
): Map<RawPath, UnreadFile> => {
  const unread = new Map<RawPath, UnreadFile>()
  const smallestFirst = candidates.toSorted((a, b) => sizeOf(a) - sizeOf(b))
  let readBytes = 0
  for (const { path, stats } of smallestFirst) {
    if (!stats?.isFile()) continue
    const size = Number(stats.size)
    const file = unreadFileOf(path, stats, filtered.has(path) ? 'binary' : 'huge')
    const isUnchanged = marks.get(path) === file.mark
    const isTooLarge = size > limits.fileBytes || readBytes + size > limits.contentBytes
    if (isUnchanged || isTooLarge || file.kind === 'binary') unread.set(path, file)
    else readBytes += size
  }
  return unread
}

const sizeOf = ({ stats }: Candidate): number => Number(stats?.size ?? 0)

const unreadableLimit = 50

/**
 * Adds files to the index, or removes them if they are gone. One file that git cannot read fails
 * the whole call, so the call is split in two until that file is alone. Returns the unreadable
 * files.
 */
const stage = async (
  git: Git,
  paths: readonly RawPath[],
  unreadable: Set<RawPath>,
): Promise<Set<RawPath>> => {
  if (paths.length === 0) return unreadable
  const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin']
  try {
    await git(args, { input: pathsAsInput(paths) })
  } catch (cause) {
    if (!(cause instanceof GitFault) || cause.reason === 'timed_out') throw cause
    if (unreadable.size >= unreadableLimit) throw cause
    if (paths.length === 1) return new Set([...unreadable, ...paths])
    const half = Math.ceil(paths.length / 2)
    const first = await stage(git, paths.slice(0, half), unreadable)
    return stage(git, paths.slice(half), first)
  }
  return unreadable
}

const unstage = async (git: Git, paths: readonly RawPath[]): Promise<void> => {
  if (paths.length === 0) return
  await git(['update-index', '-z', '--force-remove', '--stdin'], { input: pathsAsInput(paths) })
}

const writeTree = async (git: Git, prefix: string): Promise<string> => {
  const below = prefix === '' ? [] : [`--prefix=${prefix}`]
  // Without `--missing-ok` git would look up every object. A missing one shows when it is read.
  const { code, stdout } = await git(['write-tree', '--missing-ok', ...below], { allow: [128] })
  if (code === 0) return stdout.toString('latin1').trim()
  if (prefix === '') throw new GitFault('git_failed', 'git write-tree failed.')
  // Either nothing is below the prefix, or no tree can be written at all: then this fails too.
  await git(['write-tree', '--missing-ok'])
  const empty = await git(['mktree'], { input: Buffer.alloc(0) })
  return empty.stdout.toString('latin1').trim()
}
