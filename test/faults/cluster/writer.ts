import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { until } from '../server.ts'
import type { History } from './history.ts'
import { leaseMs, type NodeSettings, type RigNode } from './rig.ts'
import { wrongClock } from './wrong-clock.ts'

const program = new URL('writer-node.ts', import.meta.url).pathname

/** A node that appends events by itself, and prints its history. */
export const createWriter = (
  { name, servers, tenant, data, setLink }: NodeSettings,
  sessions: number,
  history: History,
): RigNode => {
  const settings = [servers.join(), tenant, name, data, String(leaseMs), String(sessions)]
  let child: ChildProcess | undefined
  let stderr = ''
  let isEnding = false
  const isRunning = (): boolean =>
    child !== undefined && child.exitCode === null && child.signalCode === null

  const start = async (skew = 0): Promise<void> => {
    const started = spawn(process.execPath, ['--no-warnings', program, ...settings], {
      env: { ...process.env, ...wrongClock(skew) },
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
    const hasStarted = () => isReady || !isRunning()
    await until(`node ${name} starts (${stderr})`, hasStarted, { everyMs: 10 }).catch(
      async (cause: unknown) => {
        await end('SIGKILL') // it would lock the directory of the next one
        throw cause
      },
    )
    if (!isReady) throw new Error(`node ${name} did not start: ${stderr}`)
    isEnding = false
    started.once('exit', () => {
      if (!isEnding) history.add(name, JSON.stringify({ bug: `it has exited: ${stderr}` }))
    })
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!child || !isRunning()) return
    isEnding = true
    // Not its exit: what it has printed may still be on its way.
    const closed = once(child, 'close')
    child.kill(signal)
    await closed
    history.ended(name)
  }

  return {
    ...{ name, setLink, start },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    signal: (signal) => void child?.kill(signal),
  }
}
