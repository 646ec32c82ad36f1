import { readdir, utimes, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeChildDirectory } from '../files/make-child-directory.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import { createGit, type Git, GitFault, type GitOptions } from './git.ts'
import type { RawPath } from './git-format.ts'
import { readSettings, type TakenSettings } from './git-settings.ts'
import type { TurnDiffLimits } from './limits.ts'
import type { WorkTree } from './work-tree.ts'

/**
 * A repository of our own beside the user’s: our settings, index and objects, with the user’s work
 * tree. Git never reads the settings, hooks or references of the user’s repository, so that a
 * stranger’s repository cannot name a program for git to run. Of the user’s repository, git reads
 * objects, and a copy of the index.
 */
export interface OwnRepository {
  /** Runs git in the top directory of the work tree. */
  git: Git
  /** The filters that the user or the repository has set up. None is run. */
  filters: RawPath[]
}

export interface OwnRepositoryOptions extends Pick<GitOptions, 'program' | 'env' | 'signal'> {
  workTree: WorkTree
  /** Where the repository is created. */
  folder: string
  /** A repository of an earlier time: the index begins as a copy of its index. */
  earlier?: string | undefined
  limits: TurnDiffLimits
}

export const createOwnRepository = async (
  options: OwnRepositoryOptions,
): Promise<OwnRepository> => {
  const { folder, earlier, workTree, env, limits } = options
  await makeChildDirectory(folder)
  for (const name of ['objects', 'refs', 'info']) await makeChildDirectory(join(folder, name))
  await writeOwnFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n')
  const readOnly = createGit({ ...options, cwd: folder, env: settingsEnvironment(env, folder) })
  let copies = 0
  const settings = await readSettings(readOnly, workTree, async (bytes) => {
    const path = join(folder, `settings-${copies++}`)
    await writeOwnFile(path, bytes)
    return path
  })
  await writeOwnFile(join(folder, 'config'), settings.text + (await copyRules(options, settings)))
  const from = earlier ?? workTree.gitDirectory
  await copyIndex(from, folder, limits.indexBytes)
  const userObjects = join(workTree.commonDirectory, 'objects')
  const objects = earlier === undefined ? [] : [join(earlier, 'objects')]
  const own = ownEnvironment(options, [...objects, userObjects])
  return {
    git: createGit({ ...options, cwd: workTree.top, env: own }),
    filters: settings.filters,
  }
}

const writeOwnFile = (path: string, content: string | Buffer): Promise<void> =>
  writeFile(path, content, { mode: 0o600 })

/** Rules that say which files are ignored, and how they are converted, are not larger than this. */
const rulesBytes = 4 * 1024 * 1024

/** Copies the rules of the user and of the repository; returns the settings that name the copies. */
const copyRules = async (
  { workTree, folder, env }: OwnRepositoryOptions,
  { excludesFile, attributesFile }: TakenSettings,
): Promise<string> => {
  const home = env.HOME ?? homedir()
  const usual = env.XDG_CONFIG_HOME || join(home, '.config')
  const ofUser = (path: string | undefined, name: string) =>
    path ? resolve(home, path.replace(/^~\//, `${home}/`)) : join(usual, 'git', name)
  const rules = [
    [ofUser(excludesFile, 'ignore'), 'user-excludes'],
    [ofUser(attributesFile, 'attributes'), 'user-attributes'],
    [join(workTree.commonDirectory, 'info', 'exclude'), 'info/exclude'],
    [join(workTree.commonDirectory, 'info', 'attributes'), 'info/attributes'],
  ] as const
  for (const [from, to] of rules) {
    const read = await readRegularFile(from, rulesBytes)
    await writeOwnFile(join(folder, to), typeof read === 'string' ? '' : read.bytes)
  }
  const excludes = quoted(join(folder, 'user-excludes'))
  const attributes = quoted(join(folder, 'user-attributes'))
  return `[core]\n\texcludesFile = ${excludes}\n\tattributesFile = ${attributes}\n`
}

/**
 * Copies an index with its time, if it exists. A file that was written in the same second as the
 * index may have changed unseen, and git recognises such files by that time. An index can have a
 * shared half in a file of its own.
 */
const copyIndex = async (from: string, to: string, maxBytes: number): Promise<void> => {
  const isShared = (name: string) => /^sharedindex\.[0-9a-f]{40,64}$/.test(name)
  const shared = (await namesIn(from)).filter(isShared).slice(0, sharedLimit)
  for (const name of ['index', ...shared]) {
    const read = await readRegularFile(join(from, name), maxBytes)
    if (read === 'missing') continue
    if (typeof read === 'string')
      throw new GitFault('git_failed', `The index ${join(from, name)} cannot be read: ${read}.`)
    const { atimeMs, mtimeMs } = read.stats
    await writeOwnFile(join(to, name), read.bytes)
    await utimes(join(to, name), Number(atimeMs / 1000n), Number(mtimeMs / 1000n))
  }
}

/** Git deletes old shared halves; a few can be left. */
const sharedLimit = 8

/** None if the folder of an earlier time is lost: then git reports what is missing. */
const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return []
    throw cause
  }
}

/** Git’s own variables that point to the user’s settings. */
const userSettings = /^GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|(KEY|VALUE)_\d+)$/

/** The environment without variables of git, except those whose name matches. */
const withoutGit = (env: NodeJS.ProcessEnv, except: RegExp): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !name.startsWith('GIT_') || name === 'GIT_EXEC_PATH' || except.test(name),
    ),
  ),
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
})

/** To print the user’s settings. A server that was started by a git hook has other variables. */
const settingsEnvironment = (env: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv => ({
  ...withoutGit(env, userSettings),
  GIT_DIR: folder,
})

/** To work in our own repository, with our own settings only. */
const ownEnvironment = (
  { env, folder, workTree }: OwnRepositoryOptions,
  otherObjects: readonly string[],
): NodeJS.ProcessEnv => ({
  ...withoutGit(env, /^$/),
  GIT_DIR: folder,
  GIT_WORK_TREE: workTree.top,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: otherObjects.map(quoted).join(':'),
  // Old versions do not know the variable for the user’s settings, and look in the home directory.
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  HOME: folder,
  XDG_CONFIG_HOME: folder,
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ALLOW_PROTOCOL: 'none',
})

/** Quotes a path as C does: it may hold a colon, a space or a comment sign. */
const quoted = (path: string): string =>
  `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
