import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { TurnDiffReason } from '../api/types.ts'
import { turnDiffLimits } from './limits.ts'

/** Where git is, where it runs, and what it is told. */
export interface GitDeps {
  program: string
  env: NodeJS.ProcessEnv
  cwd: string
  own?: OwnFiles
  /** When everything must be over. */
  signal: AbortSignal
  /** Further settings, as `-c` takes them. */
  settings?: readonly string[]
}

export interface GitCall {
  input?: Buffer
  /** Exit codes that are no failure, beside 0. */
  allow?: readonly number[]
  /** More output than this is cut off where the caller can do without, and a failure elsewhere. */
  maxBytes?: number
  mayCut?: boolean
}

export interface GitOutput {
  code: number
  stdout: Buffer
  isCut: boolean
}

export type Git = (args: readonly string[], call?: GitCall) => Promise<GitOutput>

const outputLimit = 64 * 1024 * 1024
const stderrLimit = 4096

/** Git as a function. It runs no hook, no filter and no pager, asks nobody, and takes no user’s lock. */
export const createGit =
  (world: GitDeps): Git =>
  (args, call = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<GitOutput>()
    const { cwd, signal } = world
    if (signal.aborted) return Promise.reject(timedOut())
    if (!existsSync(cwd))
      return Promise.reject(new GitFault('no_work_tree', `There is no directory ${cwd}.`))
    const settings = [...gitSettings, ...(world.settings ?? [])].flatMap((each) => ['-c', each])
    const child = spawn(world.program, [...settings, ...args], {
      cwd,
      env: gitEnvironment(world.env, world.own),
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    // A process that hangs in the kernel outlives its signal: nobody waits for its end.
    const abort = () => {
      child.kill('SIGKILL')
      reject(timedOut())
    }
    signal.addEventListener('abort', abort, { once: true })
    child.on('error', (cause) => reject(notStarted(cause)))
    child.on('close', (code) => {
      const { stdout, stderr, isCut } = read()
      if (isCut && !call.mayCut) reject(new GitFault('too_many_files', 'Git tells too much.'))
      else if (isCut || code === 0 || call.allow?.includes(code ?? -1))
        resolve({ code: code ?? -1, stdout, isCut })
      else reject(failed(args[0] ?? '', code, stderr))
    })
    const read = collect(child, call.maxBytes ?? outputLimit)
    // It may end before it has read everything.
    child.stdin?.on('error', () => {})
    child.stdin?.end(call.input)
    return promise.finally(() => signal.removeEventListener('abort', abort))
  }

/** Gathers what it prints; past the limit it is ended. */
const collect = (child: ChildProcess, maxBytes: number) => {
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
    isCut: size > maxBytes,
  })
}

const timedOut = () => new GitFault('timed_out', 'Git took too long, or was stopped.')

const notStarted = (cause: Error) => {
  const isMissing = 'code' in cause && cause.code === 'ENOENT'
  return new GitFault(isMissing ? 'git_missing' : 'git_failed', cause.message, { cause })
}

/** What git says about an object that is not there; its words are those of the C locale. */
const objectGone = /bad object|unable to read|not a tree object|bad tree object|missing blob/

const failed = (command: string, code: number | null, stderr: string) => {
  const said = stderr.trim().slice(0, 500)
  const reason = objectGone.test(said) ? 'base_lost' : 'git_failed'
  return new GitFault(reason, `git ${command} ended with ${code}: ${said}`)
}

/** Why git could not tell what changed. */
export class GitFault extends Error {
  readonly reason: TurnDiffReason
  constructor(reason: TurnDiffReason, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'GitFault'
    this.reason = reason
  }
}

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
