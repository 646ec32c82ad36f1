import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Duplex, Readable, type Writable } from 'node:stream'
import type { AgentDescription } from '../agents/agent.ts'
import { Fault } from '../shared/fault.ts'
import { agentEnvironment } from './agent-environment.ts'
import { startGuarded } from './agent-guard.ts'
import { endAgentProcesses, killAgentProcesses } from './agent-processes.ts'
import { checkProgram, notStarted } from './check-program.ts'
import { createFreezer, type Freezer } from './freeze-agent.ts'
import { markVariable } from './proc.ts'
import { keyOfMark, markedCall, newMark } from './process-marks.ts'
import { processTable, sendSignal } from './process-table.ts'
import { readOutput } from './read-output.ts'
import { agentWorks, beforeSignal, type RunningAgent, runningAgents } from './running-agents.ts'
import type { Sandbox, SandboxCall } from './sandbox.ts'
import { type Exit, exitOfInner, type StopOptions, stopProcess } from './stop-process.ts'

export interface ProcessOptions {
  program: string
  args: readonly string[]
  cwd: string
  /** The directory that a strict sandbox lets the program write to. Default: `cwd`. */
  project?: string | undefined
  /** Default: that of this process. Settings of Sluice are removed from it. */
  env?: NodeJS.ProcessEnv
  /** Further directories that a strict sandbox lets it write to. */
  directories?: readonly string[] | undefined
  /** Default: none. */
  sandbox?: Sandbox | undefined
  /**
   * The agent that the program belongs to: it starts with its variables, and a strict sandbox lets it
   * write its own settings.
   */
  agent?: Pick<AgentDescription, 'config' | 'env' | 'setEnv'>
  /** A key for the mark of everything that the program starts, by which a later server finds it. */
  markKey?: number | undefined
  /** Whether `write` can be used. Otherwise stdin is empty. */
  stdin?: boolean
  /** Receives stdout. The chunk is valid only during the call. */
  onChunk(chunk: Uint8Array): void
  /** Receives a copy of all bytes in and out, for a recording. */
  byteTap?: ByteTap | undefined
}

/** Receives the bytes of a process as they are. A chunk is valid only during the call. */
export interface ByteTap {
  /** What is written to stdin. */
  input(text: string): void
  output(chunk: Uint8Array): void
  errors(chunk: Uint8Array): void
}

/** A process that was started, and may have ended since. */
export interface RunningProcess {
  readonly pid: number
  /**
   * Resolves when the process has ended, everything that it started is killed, and all of its output
   * is read.
   */
  readonly done: Promise<Exit>
  /** Resolves when the process has closed its stdout, which it may do long before it ends. */
  readonly stdoutClosed: Promise<void>
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
  /** Stops the process and everything that it started where they are. */
  readonly freezer: Freezer
  /** The end of what the process has written to stderr. */
  stderr(): string
  /** Kills the process and everything that it started, without waiting for their end. */
  kill(): void
  /** Stops the process and everything that it started, and waits for its end. */
  stop(options: StopOptions): Promise<void>
}

const stderrLimit = 8 * 1024

/** In the sandbox, stdout is descriptor 3. */
const outputsOf = (wrapped: SandboxCall | undefined): ('pipe' | 'ignore')[] => {
  if (!wrapped) return ['pipe', 'pipe']
  return ['ignore', 'pipe', 'pipe', ...(wrapped.flags === undefined ? [] : ['pipe' as const])]
}

/** Sends the flags of the sandbox that are not among its arguments. */
const writeFlags = (child: ChildProcess, wrapped: SandboxCall | undefined) => {
  const pipe = child.stdio?.[4]
  if (wrapped?.flags === undefined || !(pipe instanceof Duplex)) return
  // If the process has ended already, its exit is reported.
  pipe.on('error', () => pipe.destroy())
  pipe.resume()
  pipe.end(wrapped.flags)
}

const stdoutOf = ({ stdout, stdio }: ChildProcess): Readable | null =>
  stdio[3] instanceof Readable ? stdio[3] : stdout

/**
 * Starts a program in a process group of its own. Throws a `Fault`: `cwd_not_found`,
 * `agent_not_found` or `agent_not_started`.
 */
export const startProcess = async (options: ProcessOptions): Promise<RunningProcess> => {
  const { cwd, sandbox, onChunk, byteTap } = options
  const { env, innerEnv } = environmentOf(options)
  if (!existsSync(cwd)) throw directoryNotFound(cwd)
  checkProgram(options.program, { ...env, ...innerEnv })
  const mark = newMark(options.markKey)
  const wrapped = sandbox?.wrap?.({ ...options, env, innerEnv })
  const { program, args } = markedCall(wrapped ?? options, mark)
  const { child, endGuard } = startGuarded(mark, () =>
    spawn(program, args, {
      cwd,
      env: { ...env, ...(wrapped ? {} : innerEnv), [markVariable]: `${mark}` },
      detached: true,
      stdio: [options.stdin ? 'pipe' : 'ignore', ...outputsOf(wrapped)],
    }),
  )
  writeFlags(child, wrapped)
  // At once: the process may connect to the server before this function continues.
  const agent = runningAgent(child.pid ?? 0, mark, wrapped !== undefined)
  const forget = child.pid === undefined ? () => {} : runningAgents.add(agent)
  const exited = new Promise<Exit>((resolve) =>
    child.on('exit', (code, signal) => {
      killAgentProcesses(agent)
      endGuard()
      forget()
      resolve(wrapped ? exitOfInner({ code, signal }) : { code, signal })
    }),
  )
  const pid = await spawned(child, options.program)
  const freezer = createFreezer(agent)
  const stderr = createTail(stderrLimit, byteTap?.errors)
  const pipes = readOutput({
    stdout: stdoutOf(child),
    stderr: child.stderr,
    onStdout(chunk) {
      agentWorks()
      byteTap?.output(chunk)
      onChunk(chunk)
    },
    onStderr: stderr.push,
  })

  return {
    pid,
    done: exited.then(async (exit) => {
      await endAgentProcesses(agent)
      await pipes.ended()
      child.stdin?.destroy()
      return exit
    }),
    stdoutClosed: pipes.stdoutClosed,
    write: createWriter(child.stdin, byteTap),
    closeInput: () => void child.stdin?.end(),
    pause: pipes.pause,
    resume: pipes.resume,
    freezer,
    stderr: stderr.text,
    kill() {
      beforeSignal(agent)
      sendSignal(-pid, 'SIGKILL')
      killAgentProcesses(agent)
    },
    stop: (how) =>
      stopProcess({ pid, isWrapped: wrapped !== undefined }, exited, {
        ...how,
        onSignal(signal) {
          beforeSignal(agent)
          how.onSignal?.(signal)
        },
        // A frozen process gets the signal when it continues.
        afterSignal: freezer.unfreeze,
      }),
  }
}

/** `innerEnv`: variables that a project may have chosen. In a sandbox, they are set inside it. */
const environmentOf = ({ agent, env = process.env }: ProcessOptions) => ({
  env: agentEnvironment({ ...agent?.env, ...env }),
  innerEnv: agentEnvironment(agent?.setEnv ?? {}),
})

const runningAgent = (pid: number, mark: number, isSandboxed: boolean): RunningAgent => {
  const since = processTable.startTimeOf(pid)
  return {
    pid,
    markKey: keyOfMark(mark),
    isSandboxed,
    since,
    hasMark: (other) => other === mark,
    known: new Map(since === undefined ? [] : [[pid, since]]),
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

const createWriter = (stdin: Writable | null, byteTap: ByteTap | undefined) => {
  stdin?.on('error', () => stdin.destroy())
  return (text: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    byteTap?.input(text)
    if (stdin && !stdin.destroyed && !stdin.writableEnded) stdin.write(text, () => resolve())
    else resolve()
    return promise
  }
}

/** Keeps the last bytes of a stream of any length. */
const createTail = (limit: number, onChunk?: (chunk: Uint8Array) => void) => {
  let tail = Buffer.alloc(0)
  return {
    push(chunk: Uint8Array) {
      onChunk?.(chunk)
      tail = Buffer.concat([tail, chunk]).subarray(-limit)
    },
    text: () => tail.toString('utf8').trim(),
  }
}
