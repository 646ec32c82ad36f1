import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { TurnDiffReason } from '../api/types.ts'
import { turnDiffLimits } from './limits.ts'

/**
 * Runs one git command; the only way in which this room calls git. Throws a `GitFault` if git
 * fails, takes too long or prints too much. Git runs no hook, no filter and no pager, never
 * prompts, and takes no lock in the user’s repository.
 */
export type Git = (args: readonly string[], call?: GitCall) => Promise<GitOutput>

export interface GitCall {
  input?: Buffer
  /** Exit codes that are no failure, beside 0. */
  allow?: readonly number[]
  /** The most output that is read. */
  maxBytes?: number
  /** True: more output is dropped. Otherwise it is a failure. */
  mayTruncate?: boolean
}

export interface GitOutput {
  code: number
  stdout: Buffer
  isTruncated: boolean
}

/** Why git could not find what changed. */
export class GitFault extends Error {
  readonly reason: TurnDiffReason
  constructor(reason: TurnDiffReason, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'GitFault'
    this.reason = reason
  }
}

export interface GitOptions {
  /** The git executable. */
  program: string
  env: NodeJS.ProcessEnv
  cwd: string
  /** Where git writes. Without it, only commands that read are run. */
  own?: OwnFiles
  /** Stops whatever runs. */
  signal: AbortSignal
  /** More settings, as `-c` takes them. */
  settings?: readonly string[]
}

const outputLimit = 64 * 1024 * 1024
const stderrLimit = 4096

export const createGit =
  (options: GitOptions): Git =>
  (args, call = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<GitOutput>()
    const { cwd, signal } = options
    const { maxBytes = outputLimit } = call
    if (signal.aborted) return Promise.reject(stopped())
    if (!existsSync(cwd))
      return Promise.reject(new GitFault('no_work_tree', `The directory ${cwd} does not exist.`))
    const settings = [...gitSettings, ...(options.settings ?? [])].flatMap((each) => ['-c', each])
    const child = spawn(options.program, [...settings, ...args], {
      cwd,
      env: gitEnvironment(options.env, options.own),
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    // A process that hangs in the kernel survives the signal: do not wait for its end.
    const stop = () => {
      child.kill('SIGKILL')
      reject(stopped())
    }
    signal.addEventListener('abort', stop, { once: true })
    child.on('error', (cause) => reject(notStarted(cause)))
    child.on('close', (code) => {
      const { stdout, stderr, isTruncated } = readOutput()
      if (isTruncated && !call.mayTruncate) reject(tooLarge(args[0], maxBytes))
      else if (isTruncated || code === 0 || call.allow?.includes(code ?? -1))
        resolve({ code: code ?? -1, stdout, isTruncated })
      else reject(failed(args[0], code, stderr))
    })
    const readOutput = collectOutput(child, maxBytes)
    // Git may exit before it has read all of its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(call.input)
    return promise.finally(() => signal.removeEventListener('abort', stop))
  }

/** Collects what git prints, and kills it at the limit. */
const collectOutput = (child: ChildProcess, maxBytes: number) => {
  const chunks: Buffer[] = []
  let size = 0
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    if (size <= maxBytes) chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) child.kill('SIGKILL')
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    if (stderr.length < stderrLimit) stderr += chunk.toString('utf8')
  })
  return () => ({
    stdout: Buffer.concat(chunks).subarray(0, maxBytes),
    stderr,
    isTruncated: size > maxBytes,
  })
}

const stopped = () =>
  new GitFault('timed_out', 'Git was stopped: it took too long, or the server is closing.')

const notStarted = (cause: Error) => {
  const isMissing = 'code' in cause && cause.code === 'ENOENT'
  const message = `Git could not be started: ${cause.message}`
  return new GitFault(isMissing ? 'git_missing' : 'git_failed', message, { cause })
}

const tooLarge = (command: string | undefined, maxBytes: number) =>
  new GitFault(
    'too_many_files',
    `The diff is too large to show: git ${command} printed over ${Math.round(maxBytes / 1e6)} MB.`,
  )

/** How git, in the C locale, reports an object that does not exist. */
const missingObject = /bad object|unable to read|not a tree object|bad tree object|missing blob/

const failed = (command: string | undefined, code: number | null, stderr: string) => {
  const message = stderr.trim().slice(0, 500)
  const reason = missingObject.test(message) ? 'base_lost' : 'git_failed'
  const end = code === null ? 'was killed' : `failed with exit code ${code}`
  return new GitFault(reason, `git ${command} ${end}: ${message}`)
}

/**
 * Settings that override the user’s own. How line ends are converted stays the user’s choice: with
 * another one, every line would differ from the index.
 */
const gitSettings: readonly string[] = [
  // Git calls a hook when it writes an index.
  'core.hooksPath=/dev/null',
  // Empty means “none” in all versions; older ones would run a program called `false`.
  'core.fsmonitor=',
  'core.untrackedCache=false',
  // Git would write the shared half of a split index into the user’s repository.
  'core.splitIndex=false',
  // Mixed line ends would be an error.
  'core.safecrlf=false',
  'core.quotePath=false',
  // A baseline that a power cut destroys is reported as lost; waiting for the disk costs more.
  'core.fsync=none',
  `core.bigFileThreshold=${turnDiffLimits.fileBytes}`,
  'diff.suppressBlankEmpty=false',
]

/** The files that git writes instead of the user’s. */
export interface OwnFiles {
  index: string
  /** Where new objects go. */
  objects: string
  /** Where all other objects are read from. */
  otherObjects: readonly string[]
}

/** Git’s own variables that point to the user’s settings. All others are dropped. */
const allowedVariables =
  /^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|(KEY|VALUE)_\d+)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH)$/

/**
 * The environment of git. Variables that name a repository are dropped: a server that was started
 * by a git hook has them, and they would lead to the wrong repository.
 */
const gitEnvironment = (env: NodeJS.ProcessEnv, own?: OwnFiles): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || allowedVariables.test(name)),
  ),
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  // A partial clone would fetch missing objects.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  ...(own && {
    GIT_INDEX_FILE: own.index,
    GIT_OBJECT_DIRECTORY: own.objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: own.otherObjects.map(quoted).join(':'),
  }),
})

/** Quotes a path as C does: it may hold the colon that separates two. */
const quoted = (path: string): string =>
  `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
