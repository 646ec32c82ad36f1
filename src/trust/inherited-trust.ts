import { sep } from 'node:path'
import type { FileContent } from './project-files.ts'

/** Where a worktree that Sluice made comes from. */
export interface WorktreeOrigin {
  /** The directory that the worktree was made for. */
  project: string
  /** The top of the worktree, and the directory of the repository that corresponds to it. */
  top: string
  repository: string
}

/**
 * The origin of a directory in a worktree; undefined if the path is not one. The path is enough: a
 * directory that only looks like a worktree inherits nothing but files that a person has trusted.
 */
export const worktreeOrigin = (directory: string): WorktreeOrigin | undefined => {
  const found = /^(\/.*?)\/\.sluice\/worktrees\/([^/]+)(\/.*)?$/.exec(directory)
  const [, project, name, inside = ''] = found ?? []
  if (project === undefined || name === undefined || !project.endsWith(inside)) return undefined
  const repository = project.slice(0, project.length - inside.length)
  return { project, top: `${project}/.sluice/worktrees/${name}`, repository: repository || sep }
}

/**
 * Whether a worktree has no file for agents that the project does not have with the same contents. It
 * may have fewer: git leaves out what it ignores.
 */
export const hasOnlyFilesOf = (
  worktree: readonly FileContent[],
  project: readonly FileContent[],
  { top, repository }: WorktreeOrigin,
): boolean => {
  const known = new Set(project.map(keyOf))
  return worktree.every((file) =>
    known.has(keyOf({ ...file, path: movedTo(file.path, repository, top) })),
  )
}

/** Paths have a character for each byte. */
const movedTo = (path: string, repository: string, top: string): string => {
  const from = Buffer.from(top).toString('latin1')
  const isInside = path.startsWith(`${from}/`)
  return isInside ? Buffer.from(repository).toString('latin1') + path.slice(from.length) : path
}

/** No part contains a NUL. */
const keyOf = ({ agent, kind, path, content }: FileContent): string =>
  [agent, kind, path, content].join('\0')
