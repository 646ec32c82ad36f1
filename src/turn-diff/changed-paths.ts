import type { Git } from './git.ts'
import { GitFault } from './git.ts'
import { type RawPath, rawOf, recordsOf } from './git-format.ts'
import type { WorkTree } from './work-tree.ts'

/** What is not as the index has it, by paths from the top of the work tree. */
export interface ChangedPaths {
  /** Files that differ or are missing, and files that are not in the index and not ignored. */
  files: RawPath[]
  /** Repositories inside that are not in the index. Git never looks into them. */
  repositories: RawPath[]
  /** Files outside the directory that a merge has left open: no tree can be written with them. */
  open: RawPath[]
}

/** Looks over the directory. The index is brought up to date first, so that a mere touch is none. */
export const findChangedPaths = async (
  git: Git,
  { prefix }: WorkTree,
  limit: number,
): Promise<ChangedPaths> => {
  await git(['update-index', '-q', '--unmerged', '--refresh'], { allow: [1] })
  const below = prefix === '' ? [] : ['--', `:(top,literal)${prefix}`]
  const [tracked, others, open] = await Promise.all([
    git(['diff-files', '--raw', '-z', '--no-renames', '--ignore-submodules=dirty', ...below]),
    git(['ls-files', '-z', '--others', '--exclude-standard', ...below]),
    prefix === '' ? [] : openOutside(git, prefix),
  ])
  const untracked = recordsOf(others.stdout)
  const files = new Set([...differing(tracked.stdout), ...untracked.filter((each) => !isDir(each))])
  if (files.size > limit)
    throw new GitFault('too_many_files', `${files.size} files differ from the index.`)
  return { files: [...files], repositories: untracked.filter(isDir), open }
}

const isDir = (path: RawPath) => path.endsWith('/')

/** Each path stands behind a record that tells modes and ids. */
const differing = (output: Buffer): RawPath[] =>
  recordsOf(output).filter((_, index) => index % 2 === 1)

const openOutside = async (git: Git, prefix: string): Promise<RawPath[]> => {
  const { stdout } = await git(['ls-files', '-z', '--unmerged'])
  const paths = recordsOf(stdout).map((record) => record.slice(record.indexOf('\t') + 1))
  return [...new Set(paths)].filter((path) => !path.startsWith(rawOf(prefix)))
}
