import type { Git } from './git.ts'
import { inputOf, type RawPath, readable, recordsOf } from './git-format.ts'

/** The programs through which git would send files, as Git LFS and git-crypt do. */
export const filtersOf = async (git: Git): Promise<RawPath[]> => {
  const asked = ['config', '-z', '--name-only', '--get-regexp', '^filter\\..*\\.']
  const { stdout } = await git(asked, { allow: [1] })
  return [...new Set(recordsOf(stdout).map((name) => name.slice(0, name.lastIndexOf('.'))))]
}

/** None of them runs: some write into the repository, others are slow, all are a surprise. */
export const withoutFilters = (filters: readonly string[]): string[] =>
  filters
    .map(readable)
    .flatMap((each) => [`${each}.clean=`, `${each}.process=`, `${each}.required=false`])

/** Of some paths, those whose content only a filter can read. */
export const filteredOf = async (
  git: Git,
  filters: readonly string[],
  paths: readonly RawPath[],
): Promise<Set<RawPath>> => {
  if (filters.length === 0 || paths.length === 0) return new Set()
  const { stdout } = await git(['check-attr', '-z', '--stdin', 'filter'], { input: inputOf(paths) })
  const records = recordsOf(stdout)
  // A path, the attribute’s name, its value, and so on.
  return new Set(
    records.filter((_, at) => at % 3 === 0 && filters.includes(`filter.${records[at + 2]}`)),
  )
}
