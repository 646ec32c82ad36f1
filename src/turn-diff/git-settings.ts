import { turnDiffLimits } from './limits.ts'

/**
 * What is set over the user’s own settings. How line ends become content stays the user’s choice:
 * with another one every line would differ from the index.
 */
export const gitSettings: readonly string[] = [
  // An index that is written calls a hook.
  'core.hooksPath=/dev/null',
  // Empty is “none” in all versions; older ones would run a program called `false`.
  'core.fsmonitor=',
  'core.untrackedCache=false',
  // Would write its shared half into the user’s repository.
  'core.splitIndex=false',
  // A mixture of line ends would be an error.
  'core.safecrlf=false',
  'core.quotePath=false',
  // What is lost in a power cut is told as lost; waiting for the disk costs more.
  'core.fsync=none',
  `core.bigFileThreshold=${turnDiffLimits.fileBytes}`,
  'diff.suppressBlankEmpty=false',
]

/** The files that git writes to instead of the user’s. */
export interface OwnFiles {
  index: string
  /** Where new objects go. */
  objects: string
  /** Where all others are found. */
  others: readonly string[]
}

/** Of git’s own variables, those that say where the user’s settings are. */
const kept =
  /^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|(KEY|VALUE)_\d+)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH)$/

/**
 * The environment that git runs in. Variables that name a repository are left out: a server that was
 * started by a hook has them, and they would lead into the wrong one.
 */
export const gitEnvironment = (env: NodeJS.ProcessEnv, own?: OwnFiles): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || kept.test(name)),
  ),
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  // A partial clone would fetch what it lacks.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  ...(own && {
    GIT_INDEX_FILE: own.index,
    GIT_OBJECT_DIRECTORY: own.objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: own.others.map(quoted).join(':'),
  }),
})

/** As C writes strings: a path may hold the colon that stands between two. */
const quoted = (path: string): string =>
  `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
