import type { BigIntStats } from 'node:fs'
import { findChangedPaths } from './changed-paths.ts'
import { inBatches } from './concurrency.ts'
import { filteredOf } from './filters.ts'
import type { Git } from './git.ts'
import { GitFault } from './git.ts'
import { inputOf, pathBytes, type RawPath, rawOf } from './git-format.ts'
import type { TurnDiffLimits } from './limits.ts'
import { statOf, type UnreadFile, unreadFilesOf } from './unread-files.ts'
import type { WorkTree } from './work-tree.ts'

/** The files of a directory at one moment; paths are relative to it. */
export interface TreeSnapshot {
  /** A git tree, of the files whose content is kept. */
  tree: string
  opaque: UnreadFile[]
  /** Repositories inside that git leaves out. */
  repositories: RawPath[]
}

export interface SnapshotOptions {
  /** Writes to an index and objects of our own. */
  git: Git
  workTree: WorkTree
  filters: readonly string[]
  limits: TurnDiffLimits
  /** What an earlier look kept no content of. */
  before?: readonly UnreadFile[]
}

/** Writes the files of a directory as a tree. The index that git was given is changed by it. */
export const takeSnapshot = async (options: SnapshotOptions): Promise<TreeSnapshot> => {
  const { git, workTree, limits, before = [] } = options
  const prefix = rawOf(workTree.prefix)
  const changed = await findChangedPaths(git, workTree, limits.candidates)
  const known = new Map(before.map(({ path, mark }) => [`${prefix}${path}`, mark]))
  const paths = [...new Set([...changed.files, ...known.keys()])]
  const found = await inBatches(paths, 256, async (path) => ({
    path,
    stats: await statOf(pathBytes(`${rawOf(workTree.top)}/${path}`)),
  }))
  const filtered = await filteredOf(git, options.filters, paths)
  const opaque = chooseOpaque(found, filtered, known, limits)

  // What git knows of must be told that it is gone; of the others only what is there counts.
  const mine = new Set(changed.files)
  const isStaged = ({ path, stats }: Found) =>
    !opaque.has(path) && (mine.has(path) || (stats !== undefined && !stats.isDirectory()))
  const toStage = found.filter(isStaged).map(({ path }) => path)
  const unreadable = await stage(git, toStage, new Set())
  for (const { path, stats } of found)
    if (stats && unreadable.has(path)) opaque.set(path, unreadFilesOf(path, stats, 'binary'))
  await forget(git, [...opaque.keys(), ...changed.open])

  const inside = (path: RawPath) => path.slice(prefix.length)
  return {
    tree: await writeTree(git, workTree.prefix),
    opaque: [...opaque.values()].map((file) => ({ ...file, path: inside(file.path) })),
    repositories: changed.repositories.map(inside),
  }
}

interface Found {
  path: RawPath
  stats: BigIntStats | undefined
}

/** Which files are not read: those behind a filter, large ones, and what is too much in all. */
const chooseOpaque = (
  found: readonly Found[],
  filtered: ReadonlySet<RawPath>,
  known: ReadonlyMap<RawPath, string>,
  limits: TurnDiffLimits,
): Map<RawPath, UnreadFile> => {
  const opaque = new Map<RawPath, UnreadFile>()
  const smallestFirst = found.toSorted((a, b) => sizeOf(a) - sizeOf(b))
  let kept = 0
  for (const { path, stats } of smallestFirst) {
    if (!stats?.isFile()) continue
    const size = Number(stats.size)
    const file = unreadFilesOf(path, stats, filtered.has(path) ? 'binary' : 'huge')
    const isSame = known.get(path) === file.mark
    const isTooLarge = size > limits.fileBytes || kept + size > limits.contentBytes
    if (isSame || isTooLarge || file.kind === 'binary') opaque.set(path, file)
    else kept += size
  }
  return opaque
}

const sizeOf = ({ stats }: Found): number => Number(stats?.size ?? 0)

const unreadableLimit = 50

/**
 * Puts files into the index, or takes them out where they are gone. One that cannot be read spoils
 * the whole call, so the others are tried without it.
 */
const stage = async (
  git: Git,
  paths: readonly RawPath[],
  unreadable: Set<RawPath>,
): Promise<Set<RawPath>> => {
  if (paths.length === 0) return unreadable
  const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin']
  try {
    await git(args, { input: inputOf(paths) })
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

const forget = async (git: Git, paths: readonly RawPath[]): Promise<void> => {
  if (paths.length === 0) return
  await git(['update-index', '-z', '--force-remove', '--stdin'], { input: inputOf(paths) })
}

const writeTree = async (git: Git, prefix: string): Promise<string> => {
  const below = prefix === '' ? [] : [`--prefix=${prefix}`]
  // Whether each of its objects is there would be asked one by one; a lost one shows when it is read.
  const { code, stdout } = await git(['write-tree', '--missing-ok', ...below], { allow: [128] })
  if (code === 0) return stdout.toString('latin1').trim()
  if (prefix === '') throw new GitFault('git_failed', 'The tree could not be written.')
  // There is nothing below the prefix, or the tree cannot be written at all: then this fails too.
  await git(['write-tree', '--missing-ok'])
  const empty = await git(['mktree'], { input: Buffer.alloc(0) })
  return empty.stdout.toString('latin1').trim()
}
