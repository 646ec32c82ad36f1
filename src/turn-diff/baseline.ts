import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { turnDiffReason } from '../api/turn-diff.ts'
import { inBatches } from './concurrency.ts'
import { GitFault } from './git.ts'
import { type RawPath, rawOf, readable, recordsOf } from './git-format.ts'
import { openRoot, type Root, type RootDeps } from './repository.ts'
import { unreadFile } from './unread-files.ts'
import type { WorkTree } from './work-tree.ts'

/** A repository as it was when the turn began. */
export const rootBase = z.strictObject({
  /** Where it lies in the project directory, with a slash at its end; empty for the first. */
  path: z.string(),
  /** Its own folder with index and objects. */
  folder: z.string(),
  top: z.string(),
  prefix: z.string(),
  tree: z.string(),
  opaque: z.array(unreadFile),
  repositories: z.array(z.string()),
})
export type RootBase = z.infer<typeof rootBase>

/** What was known when a turn began. */
export const baseline = z.strictObject({
  /** The agent_start that began it. */
  seq: z.number().int(),
  at: z.number().int(),
  cwd: z.string(),
  /** The repositories; none where git could not be used. */
  roots: z.array(rootBase),
  /** The directory that their folders are in, below the session’s own. */
  turn: z.string(),
  reason: turnDiffReason.optional(),
})
export type Baseline = z.infer<typeof baseline>

/** Whole or not at all. */
export const saveBaseline = async (file: string, base: Baseline): Promise<void> => {
  const unfinished = `${file}.new`
  await writeFile(unfinished, JSON.stringify(base), { mode: 0o600 })
  await rename(unfinished, file)
}

/** Undefined where there is none, or one that cannot be read. */
export const loadBaseline = async (file: string): Promise<Baseline | undefined> => {
  try {
    return baseline.safeParse(JSON.parse(await readFile(file, 'utf8'))).data
  } catch (cause) {
    if (cause instanceof SyntaxError || (cause instanceof Error && 'code' in cause))
      return undefined
    throw cause
  }
}

/** Takes a directory down, and the repositories inside it, which git does not look into. */
export const takeRoots = async (
  world: RootDeps,
  cwd: string,
  directory: string,
): Promise<RootBase[]> => {
  let folders = 0
  const visit = async (at: string, path: RawPath): Promise<RootBase[]> => {
    const folder = String(folders++)
    const root = await openRoot(world, at, join(directory, folder))
    const { top, prefix } = root.workTree
    if (path !== '' && top !== at) return []
    const snapshot = await root.take()
    const base = { path, folder, top, prefix, ...snapshot }
    const inside = [...snapshot.repositories, ...(await submodulesOf(root))]
    const left = inside.slice(0, Math.max(0, world.limits.nested - folders))
    const deeper = await inBatches(left, 4, (each) =>
      attempt(() => visit(rootPathOf(base, each), `${path}${each}`)),
    )
    return [base, ...deeper.flat()]
  }
  return visit(cwd, '')
}

/** The directory of a repository inside another. */
export const rootPathOf = ({ top, prefix }: Pick<WorkTree, 'top' | 'prefix'>, inside: RawPath) =>
  join(top, prefix, readable(inside).replace(/\/$/, ''))

/** One that cannot be read, as that of another owner, spoils none of the others. */
const attempt = async (visit: () => Promise<RootBase[]>): Promise<RootBase[]> => {
  try {
    return await visit()
  } catch (cause) {
    if (cause instanceof GitFault && cause.reason !== 'timed_out') return []
    throw cause
  }
}

/** The submodules below the directory that are checked out. */
const submodulesOf = async ({ git, workTree }: Root): Promise<RawPath[]> => {
  const { top, prefix } = workTree
  if (!existsSync(join(top, '.gitmodules'))) return []
  const asked = ['config', '-z', '-f', '.gitmodules', '--get-regexp', '^submodule\\..*\\.path$']
  const { stdout } = await git(asked, { allow: [1, 128] })
  return recordsOf(stdout)
    .map((record) => `${record.slice(record.indexOf('\n') + 1)}/`)
    .filter((path) => path.startsWith(rawOf(prefix)) && !path.split('/').includes('..'))
    .filter((path) => existsSync(join(top, readable(path), '.git')))
    .map((path) => path.slice(rawOf(prefix).length))
    .filter((path) => path !== '')
}
