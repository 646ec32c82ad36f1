import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allScopes } from '../../src/api/scopes.ts'
import { connectToServer } from '../../src/cli/connect-to-server.ts'
import { type Client, createClient } from '../../src/client/client.ts'
import { root } from './sluice.ts'

/** Temporary directories for one server. */
export interface ServerDirectories {
  /** The data directory. */
  data: string
  /** The only project root. */
  projects: string
  remove(): void
}

export const createServerDirectories = (): ServerDirectories => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-process-')))
  const projects = join(directory, 'projects')
  mkdirSync(projects)
  return {
    data: join(directory, 'data'),
    projects,
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  }
}

export interface ServerProcessOptions {
  args?: readonly string[]
  env?: NodeJS.ProcessEnv
  port?: number
  /** Whether it reads the sessions of agents in the home directory of `env`. */
  watches?: boolean
  /** The program to run, instead of the sources. */
  main?: string
}

/** A running `sluice serve`. */
export interface ServerProcess {
  child: ChildProcess
  /** Everything that it has printed so far. */
  output: { stdout: string; stderr: string }
  url: string
  port: number
  /** A key with all scopes; empty when the server did not start. */
  token: string
  client: Client
  /** Its exit code; null when a signal ended it. */
  exited: Promise<number | null>
  /** Sends a signal and waits for the exit. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** Resolves when stderr contains a text. */
  waitForStderr(text: string): Promise<void>
}

const sourceMain = join(root, 'src/cli/main.js')

/** Starts `sluice serve` in a child process, and waits for its first line. */
export const startServerProcess = async (
  directories: ServerDirectories,
  options: ServerProcessOptions = {},
): Promise<ServerProcess> => {
  const { args = [], env = process.env, port = 0, main = sourceMain, watches } = options
  const { data, projects } = directories
  const child = spawn(
    process.execPath,
    [
      ...[main, 'serve', ...(watches ? [] : ['--no-watch']), '--port', `${port}`],
      ...['--data', data, '--root', projects, ...args],
    ],
    { env: { ...env, SLUICE_DEMO_PACE: env.SLUICE_DEMO_PACE ?? '0' }, stdio: 'pipe' },
  )
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  const exited = once(child, 'exit').then((): number | null => child.exitCode)
  await until(child, () => output.stdout.includes('\n') || hasExited(child))
  const [, address = ''] = /at (http\S+)\n/.exec(output.stdout) ?? []
  const token = await createTestKey(data)
  return {
    child,
    output,
    url: address.replace(/\/$/, ''),
    port: Number(/:(\d+)\/$/.exec(address)?.[1]),
    token,
    // A server that did not start has none: its output says why.
    client: createClient({ url: address || 'http://127.0.0.1:1/', token }),
    exited,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
    waitForStderr: (text) => until(child, () => output.stderr.includes(text)),
  }
}

/** A key with all scopes, from the server that runs on a data directory. */
export const createTestKey = async (data: string): Promise<string> => {
  const client = connectToServer(data)
  if (!client) return ''
  return (await client.keys.create({ name: 'test', scopes: [...allScopes] })).key
}

/** Also true when a signal ended it. */
const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

/** Checks a condition whenever the process prints something or exits. */
const until = async (child: ChildProcess, holds: () => boolean): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const check = () => holds() && resolve()
  child.stdout?.on('data', check)
  child.stderr?.on('data', check)
  child.on('exit', check)
  check()
  await promise
  child.stdout?.off('data', check)
  child.stderr?.off('data', check)
  child.off('exit', check)
}
