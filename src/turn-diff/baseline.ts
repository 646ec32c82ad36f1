import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { turnDiffReason } from '../api/turn-diff.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import { inBatches } from './concurrency.ts'
import { GitFault } from './git.ts'
import { type RawPath, rawPathOf, readable, recordsOf } from './git-format.ts'
import { openRepository, type Repository, type RepositoryDeps } from './repository.ts'
import { unreadFile } from './unread-files.ts'
import type { WorkTree } from './work-tree.ts'

/** A repository as it was when a turn started. */
export const repositoryBaseline = z.strictObject({
  /** Its path in the project directory, with a slash at its end; empty for the directory itself. */
  path: z.string(),
  /** The folder with its index and objects. */
  folder: z.string(),
  top: z.string(),
  prefix: z.string(),
  tree: z.string(),
  unread: z.array(unreadFile),
  nested: z.array(z.string()),
})
export type RepositoryBaseline = z.infer<typeof repositoryBaseline>

/** A project directory as it was when a turn started. The baseline store writes it as JSON. */
export const baseline = z.strictObject({
  /** The seq of the agent_start. */
  seq: z.number().int(),
  /** Its time. */
  at: z.number().int(),
  cwd: z.string(),
  /** Empty if git could not be used. */
  repositories: z.array(repositoryBaseline),
  /** The folder of the turn, which holds the folders of the repositories. */
  turn: z.string(),
  /** Why git could not be used. */
  reason: turnDiffReason.optional(),
})
export type Baseline = z.infer<typeof baseline>

/** Captures a directory, and the repositories inside it, which git does not look into. */
export const captureRepositories = async (
  deps: RepositoryDeps,
  cwd: string,
  directory: string,
): Promise<RepositoryBaseline[]> => {
  let folders = 0
  const visit = async (at: string, path: RawPath): Promise<RepositoryBaseline[]> => {
    const folder = String(folders++)
    const repository = await openRepository(deps, at, join(directory, folder))
    const { top, prefix } = repository.workTree
    if (path !== '' && top !== at) return []
    const captured = await repository.capture()
    const found = { path, folder, top, prefix, ...captured }
    const inside = [...captured.nested, ...(await submodulesOf(repository))]
    const allowed = inside.slice(0, Math.max(0, deps.limits.nested - folders))
    const deeper = await inBatches(allowed, 4, (each) =>
      emptyIfFailed(() => visit(directoryOf(found, each), `${path}${each}`)),
    )
    return [found, ...deeper.flat()]
  }
  return visit(cwd, '')
}

/** The directory of a repository, or of one inside it. */
export const directoryOf = (
  { top, prefix }: Pick<WorkTree, 'top' | 'prefix'>,
  inside: RawPath = '',
): string => join(top, prefix, readable(inside).replace(/\/$/, ''))

/** A nested repository that git cannot read, as one of another owner, is left out. */
const emptyIfFailed = async (
  visit: () => Promise<RepositoryBaseline[]>,
): Promise<RepositoryBaseline[]> => {
  try {
    return await visit()
  } catch (cause) {
    if (cause instanceof GitFault && cause.reason !== 'timed_out') return []
    throw cause
  }
}

/** The submodules in the directory that are checked out. */
const submodulesOf = async ({ git, workTree }: Repository): Promise<RawPath[]> => {
  const { top } = workTree
  const read = await readRegularFile(join(top, '.gitmodules'), 1024 * 1024)
  if (typeof read === 'string') return []
  const prefix = rawPathOf(workTree.prefix)
  // From stdin: the file may be another one by now.
  const args = ['config', '-z', '-f', '-', '--no-includes']
  const paths = ['--get-regexp', '^submodule\\..*\\.path$']
  const { stdout } = await git([...args, ...paths], { allow: [1, 128], input: read.bytes })
  return recordsOf(stdout)
    .map((record) => `${record.slice(record.indexOf('\n') + 1)}/`)
    .filter((path) => path.startsWith(prefix) && !path.split('/').includes('..'))
    .filter((path) => existsSync(join(top, readable(path), '.git')))
    .map((path) => path.slice(prefix.length))
    .filter((path) => path !== '')
}
