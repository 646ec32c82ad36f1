import type { Git } from './git.ts'
import { pathsAsInput, type RawPath, recordsOf } from './git-format.ts'

/** Those of some paths whose content only a filter can read, as by Git LFS and git-crypt. */
export const filteredPaths = async (
  git: Git,
  filters: readonly string[],
  paths: readonly RawPath[],
): Promise<Set<RawPath>> => {
  if (filters.length === 0 || paths.length === 0) return new Set()
  const args = ['check-attr', '-z', '--stdin', 'filter']
  const { stdout } = await git(args, { input: pathsAsInput(paths) })
  // Records of three: a path, the name of the attribute, its value.
  const records = recordsOf(stdout)
  return new Set(
    records.filter((_, at) => at % 3 === 0 && filters.includes(`filter.${records[at + 2]}`)),
  )
}
