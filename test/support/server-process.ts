import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../../src/client/client.ts'
import { root } from './sluice.ts'

/** Fresh folders for servers: one for their data, one for projects. */
export const createPlace = () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-served-')))
  const projects = join(directory, 'projects')
  mkdirSync(projects)
  return {
    data: join(directory, 'data'),
    projects,
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  }
}
export type Place = ReturnType<typeof createPlace>

export interface ServedOptions {
  args?: readonly string[]
  env?: NodeJS.ProcessEnv
  port?: number
  /** The program, if it is not the sources’. */
  main?: string
}

const sourceMain = join(root, 'src/cli/main.js')

/** `sluice serve` as a process of its own. */
export const startServed = async (place: Place, options: ServedOptions = {}) => {
  const { args = [], env = process.env, port = 0, main = sourceMain } = options
  const child = spawn(
    process.execPath,
    [
      main,
      'serve',
      ...['--port', String(port), '--data', place.data, '--root', place.projects, ...args],
    ],
    { env: { ...env, SLUICE_DEMO_PACE: env.SLUICE_DEMO_PACE ?? '0' }, stdio: 'pipe' },
  )
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
    })
  const exited = once(child, 'exit').then((): number | null => child.exitCode)
  await until(child, () => said.stdout.includes('\n') || child.exitCode !== null)
  const [, address = '', token = ''] = /at (http\S+?)(?:#token=(\S+))?\n/.exec(said.stdout) ?? []
  return {
    child,
    said,
    url: address.replace(/\/$/, ''),
    port: Number(/:(\d+)\/$/.exec(address)?.[1]),
    token,
    client: createClient({ url: address, token }),
    exited,
    stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
      child.kill(signal)
      return exited
    },
    /** Settles when it has said this on stderr. */
    heard: (text: string) => until(child, () => said.stderr.includes(text)),
  }
}
export type Served = Awaited<ReturnType<typeof startServed>>

/** Looks whenever the process says something, or ends. */
const until = async (child: ChildProcess, holds: () => boolean): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => holds() && resolve()
  child.stdout?.on('data', look)
  child.stderr?.on('data', look)
  child.on('exit', look)
  look()
  await promise
  child.stdout?.off('data', look)
  child.stderr?.off('data', look)
  child.off('exit', look)
}
