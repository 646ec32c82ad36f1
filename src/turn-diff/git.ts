import { type ChildProcess, spawn } from 'node:child_process'
import type { TurnDiffReason } from '../api/types.ts'

/**
 * Runs one git command; the only way in which this room calls git. Throws a `GitFault` if git
 * fails, takes too long or prints too much.
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
  /** The whole environment of git, which decides what git reads: see `own-repository.ts`. */
  env: NodeJS.ProcessEnv
  cwd: string
  /** Stops whatever runs. */
  signal: AbortSignal
}

const outputLimit = 64 * 1024 * 1024
const stderrLimit = 4096

export const createGit =
  (options: GitOptions): Git =>
  (args, call = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<GitOutput>()
    const { program, env, cwd, signal } = options
    const { maxBytes = outputLimit } = call
    if (signal.aborted) return Promise.reject(stopped())
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      // A process group of its own, so that whatever git starts is stopped with it.
      detached: true,
    })
    // A process that hangs in the kernel survives the signal: do not wait for its end.
    const stop = () => {
      killGroup(child)
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
    if (size > maxBytes) killGroup(child)
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

const killGroup = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH')) throw cause
  }
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
