import type { ProjectStart, ProjectToStart } from '../agent.ts'

/**
 * Codex loads settings, MCP servers, hooks and rules of the directories that it trusts, and skills of all
 * directories. The arguments decide both for one process: they win over the person’s own configuration.
 * They replace the list of skills there, too, but not what it says about other directories.
 */
export const startCodexInProject = (project: ProjectToStart): ProjectStart => {
  const { isTrusted, directory, paths, isTooLarge } = project
  const trust = trustArgs(directoriesOf(directory, paths), isTrusted)
  if (isTrusted) return { args: trust }
  if (isTooLarge) return { args: [], refusal: tooMany }
  const skills = paths.filter(isSkill).map((path) => resolvePath(directory, path))
  const args = [...trust, ...skillArgs(skills)]
  // A name that is not UTF-8 cannot be passed on, and an argument cannot have any length.
  const isPossible = args.every((arg) => !arg.includes('\uFFFD') && arg.length < longestArgument)
  return isPossible ? { args } : { args: [], refusal: tooMany }
}

const tooMany =
  'Codex cannot leave out all skills of this project: they are too many, or their names are not text. Trust this directory first.'

/** Linux accepts 128 KiB, in bytes. */
const longestArgument = 40_000

const isSkill = (path: string): boolean => path.endsWith('/SKILL.md')

/** The directories whose `.codex` has more than skills. */
const directoriesOf = (directory: string, paths: readonly string[]): string[] => {
  const found = paths.flatMap((path) => /^(.*?)\.codex\/(?!skills\/)/s.exec(path)?.[1] ?? [])
  return [...new Set(found.map((above) => resolvePath(directory, above)))]
}

const trustArgs = (directories: readonly string[], isTrusted: boolean): string[] => {
  if (directories.length === 0) return []
  const level = isTrusted ? 'trusted' : 'untrusted'
  const entries = directories.map((each) => `${tomlString(each)}={trust_level="${level}"}`)
  return ['-c', `projects={${entries.join(',')}}`]
}

const skillArgs = (skills: readonly string[]): string[] => {
  if (skills.length === 0) return []
  const entries = skills.map((path) => `{path=${tomlString(path)},enabled=false}`)
  return ['-c', `skills.config=[${entries.join(',')}]`]
}

/** JSON escapes everything that TOML wants escaped, but for DEL. */
const tomlString = (text: string): string => JSON.stringify(text).replaceAll('\x7F', '\\u007F')

/** An absolute path from a directory and a path below or above it. */
const resolvePath = (directory: string, path: string): string => {
  const names = directory.split('/').filter((name) => name !== '')
  for (const name of path.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return `/${names.join('/')}`
}
