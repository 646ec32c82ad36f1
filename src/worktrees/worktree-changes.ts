import { join } from 'node:path'
import type { ComparedFile } from '../api/types.ts'
import type { Worktree } from '../events/types.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import { type Git, GitFault } from '../turn-diff/git.ts'
import { openUserGit } from './user-git.ts'

/** How much is read to count the lines of new files. */
const fileLimit = 500
const byteLimit = 1024 * 1024

/**
 * What changed in a worktree since the commit that it started from, committed or not. Undefined if git
 * cannot say, such as for a worktree that was deleted.
 */
export const worktreeChanges = async (
  { path, base }: Pick<Worktree, 'path' | 'base'>,
  env?: NodeJS.ProcessEnv,
): Promise<ComparedFile[] | undefined> => {
  try {
    const git = await openUserGit({ directory: path, env, timeoutMs: 20_000 })
    const changed = await changedFiles(git, base)
    const added = await newFiles(git, path, fileLimit - changed.length)
    return [...changed, ...added].sort((a, b) => (a.path < b.path ? -1 : 1))
  } catch (cause) {
    if (cause instanceof GitFault) return undefined
    throw cause
  }
}

const changedFiles = async (git: Git, base: string): Promise<ComparedFile[]> => {
  const diff = [
    'diff',
    '--raw',
    '--numstat',
    '-z',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
  ]
  const { stdout } = await git([...diff, '--ignore-submodules=all', base, '--'])
  const statuses = new Map<string, ComparedFile['status']>()
  const found: ComparedFile[] = []
  const fields = stdout.toString('utf8').split('\0')
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? ''
    if (field.startsWith(':')) {
      at += 1
      statuses.set(fields[at] ?? '', statusOf(field.at(-1)))
      continue
    }
    const [, additions, deletions, file] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(field) ?? []
    if (file === undefined) continue
    const status = statuses.get(file) ?? 'modified'
    const isText = additions !== '-'
    found.push({
      ...{ path: file, status, kind: isText ? 'text' : 'binary' },
      ...(isText && { additions: Number(additions), deletions: Number(deletions) }),
    })
  }
  return found
}

const statusOf = (letter: string | undefined): ComparedFile['status'] => {
  if (letter === 'A') return 'added'
  return letter === 'D' ? 'deleted' : 'modified'
}

/** Files that git does not have yet, and that it does not ignore. */
const newFiles = async (git: Git, top: string, limit: number): Promise<ComparedFile[]> => {
  const { stdout } = await git(['ls-files', '--others', '--exclude-standard', '-z'])
  const paths = stdout.toString('utf8').split('\0').slice(0, -1)
  const found: ComparedFile[] = []
  for (const [index, path] of paths.entries()) {
    // A link can lead to any file. Only its lines are counted, and its content is not returned.
    const read = index < limit ? await readRegularFile(join(top, path), byteLimit) : 'too_large'
    const bytes = typeof read === 'string' ? undefined : read.bytes
    found.push({
      ...{ path, status: 'added', kind: bytes === undefined ? 'huge' : kindOf(bytes) },
      ...(bytes && !bytes.includes(0) && { additions: countLines(bytes), deletions: 0 }),
    })
  }
  return found
}

const kindOf = (bytes: Buffer): ComparedFile['kind'] => (bytes.includes(0) ? 'binary' : 'text')

const countLines = (bytes: Buffer): number => {
  const text = bytes.toString('latin1')
  const breaks = text.split('\n').length - 1
  return text === '' || text.endsWith('\n') ? breaks : breaks + 1
}
