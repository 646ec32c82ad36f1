import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../scripts/free-port.ts'
import { bundleProblem } from './bundle.ts'
import type { BenchOptions } from './part.ts'
import { atMost, ms, printTitle, type Row, skipped } from './report.ts'
import { median, ratioOf, runRounds } from './rounds.ts'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** How to start a server, and how to recognise its response. */
interface Starter {
  args(port: number): string[]
  path: string
  isComplete(text: string): boolean
}

const bare: Starter = {
  args: (port) => [file('serve-startup/bare.js'), String(port)],
  path: '/',
  isComplete: (text) => text.includes('here'),
}

const sluice = (data: string, session: string): Starter => ({
  args: (port) => [
    file('../bin/sluice.js'),
    ...['serve', '--no-auth', '--log-level', 'error', '--data', data, '--port', String(port)],
  ],
  path: `/api/v1/sessions/${session}/stream`,
  isComplete: (text) => /^data: {"type":"snapshot".*\n\n/ms.test(text),
})

/** Measures the time from the start of the process to the first complete frame of a stream. */
export const runServeStartup = async (options: BenchOptions): Promise<Row[]> => {
  const rounds = options.rounds(15)
  const count = 100_000 * options.scale
  printTitle(
    'serve-startup',
    `the first snapshot out of ${count} events; ${rounds} rounds, wall clock`,
  )
  const problem = bundleProblem()
  if (problem !== undefined) return [skipped('start-up of the server', problem)]
  const directory = mkdtempSync(join(options.directory, 'serve-'))
  try {
    const data = join(directory, 'data')
    const starter = sluice(data, fill(data, count))
    // A compile cache of this run’s own, filled by a first round that is not measured.
    const env = { ...process.env, TMPDIR: directory, NODE_COMPILE_CACHE: undefined }
    const contenders = new Map([
      ['sluice', () => timeOf(starter, env, options)],
      ['bare', () => timeOf(bare, env, options)],
      ['nothing', async () => emptyRun(env)],
    ])
    await runRounds(contenders, 1)
    const figures = await runRounds(contenders, rounds)
    const row = (other: string, goal: number, name: string): Row => {
      const [ours, theirs] = [figures.get('sluice') ?? [], figures.get(name) ?? []]
      const details = `${ms(median(ours))} : ${ms(median(theirs))}`
      return atMost(`first snapshot : ${other}`, goal, ratioOf(ours, theirs), details)
    }
    return [row('response of a bare node:http server', 1.3, 'bare'), row('node -e 0', 3, 'nothing')]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Fills a data directory, and returns the id of one of its sessions. */
const fill = (data: string, count: number): string => {
  const program = [file('serve-startup/fill.ts'), data, String(count)]
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The data directory could not be filled: ${stderr}`)
  return stdout
}

const timeOf = async (
  { args, path, isComplete }: Starter,
  env: NodeJS.ProcessEnv,
  { signal }: BenchOptions,
): Promise<number> => {
  const port = await freePort()
  const began = performance.now()
  const server = spawn(process.execPath, args(port), { env, stdio: 'ignore', signal })
  const ended = once(server, 'exit')
  try {
    await requestUntilComplete(port, path, isComplete)
    return performance.now() - began
  } finally {
    server.kill('SIGTERM') // not SIGKILL: the compile cache is written at exit
    await ended
  }
}

const emptyRun = (env: NodeJS.ProcessEnv): number => {
  const began = performance.now()
  spawnSync(process.execPath, ['-e', '0'], { env, stdio: 'ignore' })
  return performance.now() - began
}

/** Connects until the server listens, and reads until the response is complete. */
const requestUntilComplete = async (
  port: number,
  path: string,
  isComplete: (text: string) => boolean,
): Promise<void> => {
  for (let tries = 0; tries < 5000; tries += 1) {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
    let text = ''
    try {
      for await (const chunk of socket.setEncoding('utf8')) {
        text += chunk
        if (isComplete(text)) return
      }
      throw new Error(`The response is not the expected one: ${text.slice(0, 500)}`)
    } catch (cause) {
      if (!isRefused(cause)) throw cause
    }
    await pause(1)
  }
  throw new Error('The server does not listen.')
}

const isRefused = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
