import { createGit, type Git, GitFault } from '../turn-diff/git.ts'

export interface UserGitOptions {
  /** A directory of the repository. */
  directory: string
  env?: NodeJS.ProcessEnv | undefined
  /** How long all calls may take together. Default: two minutes. */
  timeoutMs?: number | undefined
}

/**
 * Git on a repository of the user, which an agent may have changed. Programs that the repository itself
 * names do not run: no hook, no monitor, no filter, no transport. Those of the user’s own settings do,
 * such as the filters of Git LFS.
 */
export const openUserGit = async (options: UserGitOptions): Promise<Git> => {
  const { directory: cwd, env = process.env, timeoutMs = 120_000 } = options
  const plain = createGit({
    ...{ program: 'git', cwd, env: environment(env) },
    signal: AbortSignal.timeout(timeoutMs),
  })
  const safe: Git = (args, call) => plain([...settings, ...args], call)
  const filters = await filtersOf(safe)
  return (args, call) => safe([...filters, ...args], call)
}

const setting = (name: string, value: string): string[] => ['-c', `${name}=${value}`]

const settings = [
  ...setting('core.hooksPath', '/dev/null'),
  ...setting('core.fsmonitor', 'false'),
  ...setting('submodule.recurse', 'false'),
  ...setting('protocol.allow', 'never'),
  ...setting('gc.auto', '0'),
]

/** Settings that take the programs away from the filters of the repository. */
const filtersOf = async (git: Git): Promise<string[]> => {
  const list = ['config', '-z', '--show-scope', '--name-only', '--get-regexp', '^filter\\.']
  const { stdout } = await git(list, { allow: [1] })
  const fields = stdout.toString('utf8').split('\0')
  const names = new Set<string>()
  // A scope, then a name, each with a NUL at its end.
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, name = ''] = [fields[at], fields[at + 1]]
    if (scope === 'local' || scope === 'worktree') names.add(name.slice(0, name.lastIndexOf('.')))
  }
  for (const filter of names) if (filter.includes('=')) throw strangeFilter(filter)
  return [...names].flatMap((filter) => [
    ...['smudge', 'clean', 'process'].flatMap((key) => setting(`${filter}.${key}`, '')),
    ...setting(`${filter}.required`, 'false'),
  ])
}

/** On the command line, the name of a setting ends at the first “=”, so this one would stay. */
const strangeFilter = (filter: string): GitFault =>
  new GitFault(
    'git_failed',
    `The settings of the repository have a filter with “=” in its name (${filter.slice(0, 100)}), so git does not run on it. Remove that filter from .git/config.`,
  )

/** Without the variables of git: a server that a hook started has some of another repository. */
const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || isOfUser(name)),
  ),
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
})

const isOfUser = (name: string): boolean =>
  /^GIT_(EXEC_PATH|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM))$/.test(name)
