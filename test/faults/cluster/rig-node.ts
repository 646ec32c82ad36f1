import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { ProxyMode } from '../../support/tcp-proxy.ts'
import { until } from '../server.ts'
import type { History } from './history.ts'

/** A node of the rig: a process that can be killed, stopped and started again. */
export interface RigNode {
  readonly name: string
  pid(): number | undefined
  setLink(mode: ProxyMode): void
  /** Starts it, with a clock that is wrong by so many seconds. Resolves when it has joined. */
  start(clockSkewSeconds?: number): Promise<void>
  kill(): Promise<void>
  /** Sends SIGTERM, and waits until it has closed everything. */
  stop(): Promise<void>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
}

export interface RigNodeOptions {
  history: History
  setLink(mode: ProxyMode): void
}

const program = new URL('writer-node.ts', import.meta.url).pathname
/** Works with dynamic programs such as Node, and not with nats-server. */
export const clockLibrary = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'

export const createNode = (
  name: string,
  settings: readonly string[],
  { history, setLink }: RigNodeOptions,
): RigNode => {
  let child: ChildProcess | undefined
  let stderr = ''
  const isRunning = (): boolean =>
    child !== undefined && child.exitCode === null && child.signalCode === null

  const start = async (skew = 0): Promise<void> => {
    const env = {
      ...process.env,
      ...(skew !== 0 && {
        LD_PRELOAD: clockLibrary,
        FAKETIME: `${skew > 0 ? '+' : ''}${skew}s`,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }),
    }
    const started = spawn(process.execPath, ['--no-warnings', program, ...settings], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    let isReady = false
    started.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-4000)
    })
    createInterface(started.stdout).on('line', (line) => {
      const kind = history.add(name, line)
      isReady ||= kind === 'ready'
    })
    await until(`node ${name} starts (${stderr})`, () => isReady || !isRunning(), { everyMs: 10 })
    if (!isReady) throw new Error(`node ${name} did not start: ${stderr}`)
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!child || !isRunning()) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
    history.ended(name)
  }

  return {
    ...{ name, setLink, start },
    pid: () => child?.pid,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    signal: (signal) => void child?.kill(signal),
  }
}
