import type { Git } from './git.ts'
import { pathsAsInput, type RawPath, readable, recordsOf } from './git-format.ts'

/** The names of the filters that git is set up to use, as by Git LFS and git-crypt. */
export const filtersOf = async (git: Git): Promise<RawPath[]> => {
  const args = ['config', '-z', '--name-only', '--get-regexp', '^filter\\..*\\.']
  const { stdout } = await git(args, { allow: [1] })
  return [...new Set(recordsOf(stdout).map((name) => name.slice(0, name.lastIndexOf('.'))))]
}

/** Settings that switch filters off: some write into the repository, others are slow. */
export const withoutFilters = (filters: readonly string[]): string[] =>
  filters
    .map(readable)
    .flatMap((each) => [`${each}.clean=`, `${each}.process=`, `${each}.required=false`])

/** Those of some paths whose content only a filter can read. */
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
