import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../scripts/free-port.ts'
import { whyNoBundle } from './bundle.ts'
import { atMost, ms, printTitle, type Row, skipped } from './report.ts'
import { median, ratioOf, runRounds } from './rounds.ts'
import type { Setting } from './setting.ts'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A server, and when its answer is there. */
interface Starter {
  args(port: number): string[]
  path: string
  isAnswered(text: string): boolean
}

const bare: Starter = {
  args: (port) => [file('serve-startup/bare.js'), String(port)],
  path: '/',
  isAnswered: (text) => text.includes('here'),
}

const sluice = (data: string, session: string): Starter => ({
  args: (port) => [
    file('../bin/sluice.js'),
    ...['serve', '--no-auth', '--log-level', 'error', '--data', data, '--port', String(port)],
  ],
  path: `/api/v1/sessions/${session}/stream`,
  isAnswered: (text) => /^data: {"type":"snapshot".*\n\n/ms.test(text),
})

/** From the start of the process to the first whole frame of a stream, by the clock. */
export const runServeStartup = async (setting: Setting): Promise<Row[]> => {
  const rounds = setting.quick ? 5 : 15
  const count = 100_000 * setting.scale
  printTitle(
    'serve-startup',
    `the first snapshot out of ${count} events; ${rounds} rounds, wall clock`,
  )
  const missing = whyNoBundle()
  if (missing !== undefined) return [skipped('start-up of the server', missing)]
  const directory = mkdtempSync(join(setting.directory, 'serve-'))
  try {
    const data = join(directory, 'data')
    const starter = sluice(data, fill(data, count))
    // A cache directory of this run’s own, filled by a first round that does not count.
    const env = { ...process.env, TMPDIR: directory, NODE_COMPILE_CACHE: undefined }
    const contenders = new Map([
      ['sluice', () => timeOf(starter, env, setting)],
      ['bare', () => timeOf(bare, env, setting)],
      ['nothing', async () => emptyRun(env)],
    ])
    await runRounds(contenders, 1)
    const figures = await runRounds(contenders, rounds)
    const row = (what: string, goal: number, name: string): Row => {
      const [ours, other] = [figures.get('sluice') ?? [], figures.get(name) ?? []]
      const behind = `${ms(median(ours))} : ${ms(median(other))}`
      return atMost(`first snapshot : ${what}`, goal, ratioOf(ours, other), behind)
    }
    return [row('answer of a bare node:http server', 1.3, 'bare'), row('node -e 0', 3, 'nothing')]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Fills a data directory; gives the session to ask for. */
const fill = (data: string, count: number): string => {
  const program = [file('serve-startup/fill.ts'), data, String(count)]
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The log could not be filled: ${stderr}`)
  return stdout
}

const timeOf = async (
  { args, path, isAnswered }: Starter,
  env: NodeJS.ProcessEnv,
  { signal }: Setting,
): Promise<number> => {
  const port = await freePort()
  const began = performance.now()
  const server = spawn(process.execPath, args(port), { env, stdio: 'ignore', signal })
  const ended = once(server, 'exit')
  try {
    await untilAnswered(port, path, isAnswered)
    return performance.now() - began
  } finally {
    server.kill('SIGTERM') // in order, so that what was compiled is kept
    await ended
  }
}

const emptyRun = (env: NodeJS.ProcessEnv): number => {
  const began = performance.now()
  spawnSync(process.execPath, ['-e', '0'], { env, stdio: 'ignore' })
  return performance.now() - began
}

/** Knocks until somebody opens, and reads until the answer is there. */
const untilAnswered = async (
  port: number,
  path: string,
  isAnswered: (text: string) => boolean,
): Promise<void> => {
  for (let tries = 0; tries < 5000; tries += 1) {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
    let text = ''
    try {
      for await (const chunk of socket.setEncoding('utf8')) {
        text += chunk
        if (isAnswered(text)) return
      }
      throw new Error(`The answer is not what it should be: ${text.slice(0, 500)}`)
    } catch (cause) {
      if (!isRefused(cause)) throw cause
    }
    await pause(1)
  }
  throw new Error('Nobody listens.')
}

const isRefused = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
