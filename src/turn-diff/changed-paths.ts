import { type Git, GitFault } from './git.ts'
import { type RawPath, rawPathOf, recordsOf } from './git-format.ts'
import type { WorkTree } from './work-tree.ts'

/** How a directory differs from the index, by paths from the top of the work tree. */
export interface ChangedPaths {
  /** Files that differ or are missing, and files that are not in the index and not ignored. */
  files: RawPath[]
  /** Repositories that are not in the index. Git does not look into them. */
  repositories: RawPath[]
  /** Unmerged files outside the directory: git writes no tree while the index has them. */
  unmerged: RawPath[]
}

/** Refreshes the index, so that a touched file is no change, and compares the directory with it. */
export const findChangedPaths = async (
  git: Git,
  { prefix }: WorkTree,
  limit: number,
): Promise<ChangedPaths> => {
  await git(['update-index', '-q', '--unmerged', '--refresh'], { allow: [1] })
  const below = prefix === '' ? [] : ['--', `:(top,literal)${prefix}`]
  const [tracked, others, unmerged] = await Promise.all([
    git(['diff-files', '--raw', '-z', '--no-renames', '--ignore-submodules=dirty', ...below]),
    git(['ls-files', '-z', '--others', '--exclude-standard', ...below]),
    prefix === '' ? [] : unmergedOutside(git, prefix),
  ])
  const untracked = recordsOf(others.stdout)
  const files = new Set([...pathsIn(tracked.stdout), ...untracked.filter((each) => !isDir(each))])
  if (files.size > limit)
    throw new GitFault(
      'too_many_files',
      `${files.size} files differ from the index; the limit is ${limit}.`,
    )
  return { files: [...files], repositories: untracked.filter(isDir), unmerged }
}

const isDir = (path: RawPath) => path.endsWith('/')

/** The output of `--raw -z` alternates: modes and ids, then the path. */
const pathsIn = (output: Buffer): RawPath[] =>
  recordsOf(output).filter((_, index) => index % 2 === 1)

const unmergedOutside = async (git: Git, prefix: string): Promise<RawPath[]> => {
  const { stdout } = await git(['ls-files', '-z', '--unmerged'])
  const paths = recordsOf(stdout).map((record) => record.slice(record.indexOf('\t') + 1))
  return [...new Set(paths)].filter((path) => !path.startsWith(rawPathOf(prefix)))
}
