import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { isAbsolute } from 'node:path'
import type { Writable } from 'node:stream'
import type { AgentDescription, StopSignal } from '../agents/agent.ts'
import { Fault } from '../shared/fault.ts'
import { finishesWithin } from '../shared/finishes-within.ts'
import { agentEnvironment } from './agent-environment.ts'
import { descendantsOf } from './descendants.ts'
import { sendSignal } from './proc.ts'
import { killTagged, processVariable } from './process-tags.ts'
import { readOutput } from './read-output.ts'
import { runningAgents } from './running-agents.ts'
import type { Sandbox } from './sandbox.ts'

/** How a process ended. */
export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface ProcessOptions {
  program: string
  args: readonly string[]
  cwd: string
  /** Default: that of this process. Settings of Sluice are removed from it. */
  env?: NodeJS.ProcessEnv
  /** Default: none. */
  sandbox?: Sandbox | undefined
  /** The agent that the program belongs to: a strict sandbox lets it write its own settings. */
  agent?: Pick<AgentDescription, 'config'>
  /** A unique value for the environment: every process that has it is killed when this one ends. */
  tag?: string
  /** Whether `write` can be used. Otherwise stdin is empty. */
  stdin?: boolean
  /** Receives stdout. The chunk is valid only during the call. */
  onChunk(chunk: Uint8Array): void
}

export interface StopOptions {
  /** Sent one after another until the process ends. */
  signals: readonly StopSignal[]
  /** How long the process has to end after each signal. */
  graceMs?: number
  /** Called before each signal. */
  onSignal?(signal: StopSignal): void
}

/** A process that was started, and may have ended since. */
export interface RunningProcess {
  readonly pid: number
  /** Resolves when the process has ended and all of its output is read. */
  readonly done: Promise<Exit>
  /** Writes to stdin. Resolves when the text is written, or when the process no longer reads it. */
  write(text: string): Promise<void>
  /** Closes stdin. Most agents then finish their work and exit. */
  closeInput(): void
  /**
   * Stops reading stdout until `resume`. The process then blocks in its next large write. When it has
   * ended, what it has written is read all the same.
   */
  pause(): void
  resume(): void
  /** The end of what the process has written to stderr. */
  stderr(): string
  /** Kills the process and everything that it started, without waiting for their end. */
  kill(): void
  /** Stops the process and everything that it started, and waits for its end. */
  stop(options: StopOptions): Promise<void>
}

const stderrLimit = 8 * 1024
const defaultGraceMs = 5000

/**
 * Starts a program in a process group of its own. Throws a `Fault`: `cwd_not_found`,
 * `agent_not_found` or `agent_not_started`.
 */
export const startProcess = async (options: ProcessOptions): Promise<RunningProcess> => {
  const { cwd, tag, sandbox } = options
  const env = agentEnvironment(options.env)
  if (!existsSync(cwd)) throw directoryNotFound(cwd)
  // Bubblewrap would only exit with an error.
  if (isAbsolute(options.program) && !existsSync(options.program)) throw notFound(options.program)
  const { program, args } = sandbox?.wrap?.({ ...options, env }) ?? options
  const child = spawn(program, args, {
    cwd,
    env: tag === undefined ? env : { ...env, [processVariable]: tag },
    detached: true,
    stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  const isWrapped = sandbox?.wrap !== undefined
  // At once: the process may connect to the server before this function continues.
  const forget =
    child.pid === undefined
      ? () => {}
      : runningAgents.add({
          pid: child.pid,
          tag,
          isSandboxed: isWrapped,
        })
  const exited = new Promise<Exit>((resolve) =>
    child.on('exit', (code, signal) => {
      if (tag !== undefined) killLeftovers(child.pid, tag)
      forget()
      resolve(isWrapped ? exitOfInner(code, signal) : { code, signal })
    }),
  )
  const pid = await spawned(child, program)
  const stderr = createTail(stderrLimit)
  const output = readOutput({
    stdout: child.stdout,
    stderr: child.stderr,
    onStdout: options.onChunk,
    onStderr: stderr.push,
  })

  return {
    pid,
    done: exited.then(async (exit) => {
      await output.ended()
      return exit
    }),
    write: createWriter(child.stdin),
    closeInput: () => void child.stdin?.end(),
    pause: output.pause,
    resume: output.resume,
    stderr: stderr.text,
    kill() {
      const below = descendantsOf(pid)
      sendSignal(-pid, 'SIGKILL')
      for (const each of below) sendSignal(each, 'SIGKILL')
      if (tag !== undefined) killLeftovers(pid, tag)
    },
    stop: (how) => stop({ pid, isWrapped }, exited, how),
  }
}

const directoryNotFound = (cwd: string): Fault =>
  new Fault('cwd_not_found', `The working directory ${cwd} does not exist.`)

const spawned = (child: ChildProcess, program: string): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  child.on('spawn', () => resolve(child.pid ?? 0))
  child.on('error', (cause) => reject(notStarted(program, cause)))
  return promise
}

const notFound = (program: string, cause?: Error): Fault =>
  new Fault(
    'agent_not_found',
    `The program ${program}, or the interpreter that it needs, does not exist.`,
    { cause },
  )

const notStarted = (program: string, cause: Error): Fault => {
  if ('code' in cause && cause.code === 'ENOENT') return notFound(program, cause)
  const message = `The program ${program} could not be started: ${cause.message}`
  return new Fault('agent_not_started', message, { cause })
}

const createWriter = (stdin: Writable | null) => {
  stdin?.on('error', () => stdin.destroy())
  return (text: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (stdin && !stdin.destroyed && !stdin.writableEnded) stdin.write(text, () => resolve())
    else resolve()
    return promise
  }
}

const endingSignals = [
  ...(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE'] as const),
  ...(['SIGKILL', 'SIGUSR1', 'SIGSEGV', 'SIGUSR2', 'SIGPIPE', 'SIGALRM', 'SIGTERM'] as const),
]

/** Bubblewrap reports the signal that killed a program as 128 + its number, as shells do. */
const exitOfInner = (code: number | null, signal: NodeJS.Signals | null): Exit => {
  const inner = endingSignals.find((name) => constants.signals[name] + 128 === code)
  return inner === undefined ? { code, signal } : { code: null, signal: inner }
}

const stop = async (
  { pid, isWrapped }: { pid: number; isWrapped: boolean },
  exited: Promise<Exit>,
  { signals, graceMs = defaultGraceMs, onSignal }: StopOptions,
): Promise<void> => {
  for (const signal of signals) {
    const below = descendantsOf(pid)
    onSignal?.(signal)
    sendToAgent(pid, isWrapped ? below[0] : undefined, signal)
    const hasExited = signal === 'SIGKILL' ? await exited : await finishesWithin(exited, graceMs)
    if (!hasExited) continue
    // Descendants that the agent did not end itself would live on without a parent.
    for (const each of below) sendSignal(each, 'SIGKILL')
    return
  }
}

/**
 * Sends a signal to the agent’s process group. In a sandbox, that is the group of the first process
 * inside: bubblewrap itself would end at once and take the agent with it, before the agent cleaned up.
 */
const sendToAgent = (pid: number, inner: number | undefined, signal: StopSignal): void => {
  const isSent = signal !== 'SIGKILL' && inner !== undefined && sendSignal(-inner, signal)
  if (!isSent) sendSignal(-pid, signal)
}

/** Kills what an ended process has left behind. Orphans have no parent, so the tag identifies them. */
const killLeftovers = (pid: number | undefined, tag: string): void => {
  if (process.platform === 'linux') killTagged(processVariable, new Set([tag]))
  else if (pid !== undefined) sendSignal(-pid, 'SIGKILL')
}

/** Keeps the last bytes of a stream of any length. */
const createTail = (limit: number) => {
  let tail = Buffer.alloc(0)
  return {
    push(chunk: Uint8Array) {
      tail = Buffer.concat([tail, chunk]).subarray(-limit)
    },
    text: () => tail.toString('utf8').trim(),
  }
}
