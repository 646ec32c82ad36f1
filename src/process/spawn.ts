import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import type { StopSignal } from '../agents/agent.ts'
import { Fault } from '../shared/fault.ts'
import { within } from '../shared/within.ts'
import { descendantsOf } from './descendants.ts'
import { readPipe } from './pipes.ts'
import { killTagged, processVariable } from './process-tags.ts'

/** How a process ended. */
export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface ProcessOptions {
  program: string
  args: readonly string[]
  cwd: string
  env?: NodeJS.ProcessEnv
  /** Known to no other process: whatever has it in its environment is ended with this one. */
  mark?: string
  /** Whether it reads what `write` sends; otherwise its stdin is empty. */
  stdin?: boolean
  /** Called for each piece of stdout; valid during the call only. */
  onChunk(chunk: Uint8Array): void
}

export interface StopOptions {
  signals: readonly StopSignal[]
  /** How long each signal may take before the next one. */
  graceMs?: number
  onStage?(signal: StopSignal): void
}

const stderrLimit = 8 * 1024
const quietMs = 500
/** So often silence is waited for: what the dead process had printed is read long before. */
const quietTries = 4

/** Starts a program in a process group of its own. */
export const startProcess = async (options: ProcessOptions) => {
  const { program, args, cwd, mark, env = process.env } = options
  if (!existsSync(cwd)) throw new Fault('cwd_not_found', `There is no directory ${cwd}.`)
  const child = spawn(program, args, {
    cwd,
    env: mark === undefined ? env : { ...env, [processVariable]: mark },
    detached: true,
    stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<Exit>((resolve) =>
    child.on('exit', (code, signal) => {
      if (mark !== undefined) endLeftBehind(child.pid, mark)
      resolve({ code, signal })
    }),
  )
  const pid = await started(child, program)
  const tail = createTail(stderrLimit)
  let heard = 0
  let isOver = false
  const listen = async (stream: Readable | null, onChunk: (chunk: Uint8Array) => void) => {
    if (!stream) return
    await readPipe(stream, (chunk) => {
      if (isOver) return
      heard += 1
      onChunk(chunk)
    })
  }
  const drained = Promise.all([
    listen(child.stdout, options.onChunk),
    listen(child.stderr, tail.push),
  ])

  return {
    pid,
    /** Settles when the process has ended and all of its output has been read. */
    done: exited.then(async (exit) => {
      await untilQuiet(drained, () => heard)
      isOver = true
      return exit
    }),
    /** Settles when it has taken the text, or is gone: its end is told by `done`, not here. */
    write: createWriter(child.stdin),
    /** No more input: most agents finish what they do and end. */
    closeInput: () => child.stdin?.end(),
    /** The end of what it wrote to stderr. */
    stderr: () => tail.text(),
    /** Ends it and whatever it started, at once; does not wait for it. */
    kill(): void {
      const below = descendantsOf(pid)
      send(-pid, 'SIGKILL')
      for (const each of below) send(each, 'SIGKILL')
      if (mark !== undefined) endLeftBehind(pid, mark)
    },
    /** Ends it and whatever it started: each signal in turn until it is gone. */
    stop: ({ signals, graceMs = 5000, onStage }: StopOptions) =>
      climb(pid, exited, signals, graceMs, onStage),
  }
}

const started = (child: ChildProcess, program: string): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  child.on('spawn', () => resolve(child.pid ?? 0))
  child.on('error', (cause) => {
    const missing = 'code' in cause && cause.code === 'ENOENT'
    const code = missing ? 'agent_not_found' : 'agent_not_started'
    reject(new Fault(code, `${program} could not be started: ${cause.message}`, { cause }))
  })
  return promise
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

const climb = async (
  pid: number,
  exited: Promise<Exit>,
  signals: readonly StopSignal[],
  graceMs: number,
  onStage: ((signal: StopSignal) => void) | undefined,
): Promise<void> => {
  for (const signal of signals) {
    const below = descendantsOf(pid)
    onStage?.(signal)
    send(-pid, signal)
    const gone = signal === 'SIGKILL' ? await exited : await within(exited, graceMs)
    // What the agent did not end itself would live on without a parent.
    if (gone) for (const each of below) send(each, 'SIGKILL')
    if (gone) return
  }
}

/** What it started lives on without a parent, in groups of its own: known by its mark only. */
const endLeftBehind = (pid: number | undefined, mark: string): void => {
  if (process.platform === 'linux') killTagged(processVariable, new Set([mark]))
  else if (pid !== undefined) send(-pid, 'SIGKILL')
}

const send = (pid: number, signal: StopSignal) => {
  try {
    process.kill(pid, signal)
  } catch {
    // Already gone.
  }
}

/**
 * Waits until the pipes of a dead process are empty. Something that it left behind may hold them
 * open for ever, or print for ever: when nothing more comes for a while, or it does not fall silent,
 * nothing more is waited for.
 */
const untilQuiet = async (drained: Promise<unknown>, heard: () => number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let last = heard()
  let tries = 0
  const timer = setInterval(() => {
    tries += 1
    if (heard() === last || tries === quietTries) resolve()
    last = heard()
  }, quietMs)
  await Promise.race([drained, promise])
  clearInterval(timer)
}

/** The last bytes of a stream that may be endless. */
const createTail = (limit: number) => {
  let kept = Buffer.alloc(0)
  return {
    push(chunk: Uint8Array) {
      kept = Buffer.concat([kept, chunk]).subarray(-limit)
    },
    text: () => kept.toString('utf8').trim(),
  }
}
