import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../scripts/free-port.ts'
import { watchedIdOf } from '../src/watch/native-key.ts'
import { cpuMs } from './cpu-time.ts'
import type { BenchOptions } from './part.ts'
import { printTitle, type Row } from './report.ts'

const main = fileURLToPath(new URL('../src/cli/main.js', import.meta.url))

/** Measures a server that watches session files: how soon a line is on the wire, and what idle costs. */
export const runWatch = async (options: BenchOptions): Promise<Row[]> => {
  // Reading all of them for the first time takes minutes.
  const counts = options.scale === 1 ? [1000, 10_000] : [1000]
  const rows: Row[] = []
  printTitle(
    'watch',
    `a server over ${counts.join(', ')} session files; wall clock, shared machine`,
  )
  for (const count of counts) rows.push(...(await runOver(count, options)))
  return rows
}

const runOver = async (count: number, options: BenchOptions): Promise<Row[]> => {
  const home = mkdtempSync(join(options.directory, 'watch-'))
  const files = Array.from({ length: count }, (_, index) => writeSession(home, index))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/api/v1`
  const args = ['serve', '--no-auth', '--log-level', 'error', '--data', join(home, 'data')]
  const env = { ...process.env, HOME: home, CLAUDE_CONFIG_DIR: undefined }
  const server = spawn(process.execPath, [main, ...args, '--port', `${port}`], {
    ...{ env, stdio: 'ignore', signal: options.signal },
  })
  const ended = once(server, 'exit')
  try {
    await untilRead(url, count, options.signal)
    const pid = server.pid ?? 0
    const delays: number[] = []
    for (let index = 0; index < 5; index += 1)
      delays.push(...(await delaysOf(url, files[(index * 197) % count] ?? '', index)))
    // What was live is left, and the collector has run.
    await pause(20_000, undefined, { signal: options.signal })
    const idle = await idlePart(pid, options.signal)
    return rowsOf(count, { delays, idle, megabytes: residentMegabytes(pid) })
  } finally {
    server.kill('SIGTERM')
    await ended
  }
}

interface Measured {
  delays: readonly number[]
  idle: number
  megabytes: number
}

const rowsOf = (count: number, { delays, idle, megabytes }: Measured): Row[] => {
  const sorted = delays.toSorted((left, right) => left - right)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  const row = (name: string, goal: string, measured: string, isMet: boolean): Row => ({
    ...{ name: `${count} files: ${name}`, goal, measured, details: '' },
    verdict: isMet ? 'ok' : 'MISSED',
  })
  const wire = `p95 ${at(0.95).toFixed(0)} ms, median ${at(0.5).toFixed(0)} ms`
  return [
    row('line to the wire', 'p95 at most 250 ms', wire, at(0.95) <= 250),
    row('idle CPU', 'at most 0.5 %', `${(idle * 100).toFixed(2)} %`, idle <= 0.005),
    row('memory', 'at most 300 MB', `${megabytes.toFixed(0)} MB`, megabytes <= 300),
  ]
}

const textLine = (session: string, at: string, text: string): string =>
  `${JSON.stringify({
    ...{ parentUuid: null, isSidechain: false, type: 'user', uuid: `${session}-${text}` },
    message: { role: 'user', content: text },
    ...{ timestamp: at, cwd: '/home/dev/project', sessionId: session, version: '2.1.325' },
  })}\n`

/** A session that ended long ago, in one of a hundred projects. */
const writeSession = (home: string, index: number): string => {
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  const folder = join(home, `.claude/projects/-home-dev-project-${index % 100}`)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${id}.jsonl`)
  const lines = Array.from({ length: 10 }, (_, line) =>
    textLine(id, '2026-11-01T10:00:00.000Z', `prompt ${line} ${'and some words '.repeat(20)}`),
  )
  writeFileSync(path, lines.join(''))
  const longAgo = new Date('2026-11-01T10:00:00Z')
  utimesSync(path, longAgo, longAgo)
  return path
}

const idOf = (path: string): string => path.replace(/^.*\//, '').replace('.jsonl', '')

/** The oldest file is read last. */
const untilRead = async (url: string, count: number, signal: AbortSignal): Promise<void> => {
  for (;;) {
    const read = await countSessions(url, count).catch(() => 0)
    if (read >= count) return
    await pause(1000, undefined, { signal })
  }
}

const countSessions = async (url: string, most: number): Promise<number> => {
  let read = 0
  let cursor = ''
  do {
    const response = await fetch(`${url}/sessions?limit=100${cursor}`)
    const page: unknown = await response.json()
    if (typeof page !== 'object' || page === null) return read
    if ('sessions' in page && Array.isArray(page.sessions)) read += page.sessions.length
    cursor = 'next' in page ? `&cursor=${encodeURIComponent(String(page.next))}` : ''
  } while (cursor !== '' && read < most)
  return read
}

/** Appends lines to a file, and measures when a reader of the session has each of them. */
const delaysOf = async (url: string, path: string, round: number): Promise<number[]> => {
  const session = watchedIdOf({ agent: 'claude', nativeId: idOf(path) })
  const abort = new AbortController()
  const response = await fetch(`${url}/sessions/${session}/stream`, { signal: abort.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (wanted: string): Promise<void> => {
    while (!text.includes(wanted)) text += (await reader?.read())?.value ?? ''
    text = ''
  }
  await until('snapshot')
  const delays: number[] = []
  for (let index = 0; index < 20; index += 1) {
    const marker = `marker-${round}-${index}-`
    const began = performance.now()
    appendFileSync(path, textLine(idOf(path), new Date().toISOString(), marker))
    await until(marker)
    delays.push(performance.now() - began)
    await pause(50 + ((index * 37) % 100))
  }
  abort.abort()
  return delays
}

const idleMs = 30_000

/** Which part of a core the process uses while nothing happens. */
const idlePart = async (pid: number, signal: AbortSignal): Promise<number> => {
  const before = cpuMs(pid)
  await pause(idleMs, undefined, { signal })
  return (cpuMs(pid) - before) / idleMs
}

const residentMegabytes = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}
