import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../../src/client/api-error.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
} from '../support/server-process.ts'
import { root } from '../support/sluice.ts'
import { requireThat, type Trial } from './fault.ts'

/** How long a server may take to exit, on a machine that has other things to do. */
const exitMs = 30_000

/** A data directory with a server on it, which can be killed and started again. */
export interface FaultServer {
  readonly directories: ServerDirectories
  /** The server that runs. Throws when none does. */
  current(): ServerProcess
  /** Where readers connect: the address of the last server, also while none runs. */
  address(): { port: number; token: string }
  /** Starts the server, on the same port as before. */
  start(options?: ServerProcessOptions): Promise<ServerProcess>
  /** Sends a signal and waits for the exit. Returns the exit code. Throws when that takes too long. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/** Makes the directories of a server. The server ends and they are deleted with the trial. */
export const createFaultServer = (
  trial: Trial,
  agent: string,
  options: ServerProcessOptions = {},
): FaultServer => {
  const directories = createServerDirectories()
  const program = join(directories.projects, '..', 'agent')
  const script = join(root, 'test/faults/agents', agent)
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`, {
    mode: 0o755,
  })
  let server: ServerProcess | undefined
  let port = 0
  let token = ''

  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    const stopping = server
    server = undefined
    if (!stopping) return null
    const late = new AbortController()
    const limit = pause(exitMs, 'late' as const, { signal: late.signal }).catch(
      () => 'late' as const,
    )
    const code = await Promise.race([stopping.stop(signal), limit])
    late.abort()
    if (code !== 'late') return code
    await stopping.stop('SIGKILL')
    throw new Error(`the server did not exit within ${exitMs / 1000} s after ${signal}`)
  }
  trial.defer(directories.remove)
  trial.defer(() => {
    // Only after a failure: a trial that succeeds leaves no process.
    for (const line of processesIn(directories.projects)) killProcess(Number.parseInt(line, 10))
  })
  trial.defer(() => stop('SIGKILL'))

  return {
    directories,
    current() {
      if (!server) throw new Error('no server runs')
      return server
    },
    address: () => ({ port, token }),
    async start(more = {}) {
      const args = [...(options.args ?? []), ...(more.args ?? [])]
      const env = { ...process.env, CLAUDE_BIN: program, ...options.env, ...more.env }
      server = await startServerProcess(directories, { ...options, ...more, args, env, port })
      const { output } = server
      requireThat(server.port > 0, () => `the server did not start: ${output.stderr}`)
      port = server.port
      token ||= server.token // a key outlives the server
      return server
    },
    stop,
  }
}

const killProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended meanwhile
  }
}

/** The running processes that work in a directory or name it in their arguments. */
export const processesIn = (directory: string): string[] =>
  existsSync('/proc/self/cwd')
    ? readdirSync('/proc').flatMap((pid) => {
        try {
          const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
          const isHere = `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${directory}/`)
          return isHere || command.includes(directory) ? [`${pid} ${command.trim()}`] : []
        } catch {
          return [] // not a process, or it has ended meanwhile
        }
      })
    : []

/** Sends a prompt as soon as the session's last run is over. */
export const promptWhenIdle = async (
  { client }: ServerProcess,
  id: string,
  text: string,
): Promise<void> =>
  until(`session ${id} accepts a prompt`, async () => {
    try {
      await client.sessions.prompt(id, text)
      return true
    } catch (cause) {
      if (cause instanceof ApiError && cause.code === 'agent_busy') return false
      throw cause
    }
  })

/** Waits until a condition holds. The limit is long, because the machine may be busy. */
export const until = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  { limitMs = 60_000, everyMs = 50 } = {},
): Promise<void> => {
  const end = performance.now() + limitMs
  while (!(await holds())) {
    requireThat(performance.now() < end, `${what}: not within ${limitMs / 1000} s`)
    await pause(everyMs)
  }
}
