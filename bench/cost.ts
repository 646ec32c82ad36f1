import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openSqliteLog } from '../src/log/index.ts'
import { bundleProblem } from './bundle.ts'
import type { BenchOptions } from './part.ts'
import { medianAtMost, ms, printTitle, type Row, skipped } from './report.ts'
import { median, runRounds } from './rounds.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const eventsPerSession = 1000
const usagePerSession = 20
/** The sessions spread over half a year. */
const firstSession = Date.parse('2026-05-01T00:00:00Z')
const betweenSessions = 26 * 60_000

/** Measures what a person waits for: from the start of `sluice cost` to its end, over a large log. */
export const runCost = async (options: BenchOptions): Promise<Row[]> => {
  const sessions = Math.round(10_000 * options.scale)
  const count = (value: number) => value.toLocaleString('en')
  const name = `${count(sessions)} sessions, ${count(sessions * eventsPerSession)} events`
  const rounds = options.rounds(15)
  printTitle('cost', `sluice cost over ${name}; ${rounds} rounds, wall clock`)
  const problem = bundleProblem()
  if (problem !== undefined) return [skipped('cost', problem)]
  const directory = mkdtempSync(join(options.directory, 'cost-'))
  try {
    const filledMs = await fill(directory, sessions)
    const env = { ...process.env, TMPDIR: options.directory, NODE_COMPILE_CACHE: undefined }
    const timed = (args: string[]) => async () => wallMs(args, env)
    const cost = (...more: string[]) => ['bin/sluice.js', 'cost', '--data', directory, ...more]
    const commands = {
      bare: ['-e', '0'],
      day: cost(),
      session: cost('--by', 'session'),
      breakdown: cost('--by', 'month', '--breakdown'),
      blocks: cost('--blocks'),
      today: cost('--since', '2026-10-01'),
    }
    const contenders = new Map(Object.entries(commands).map(([key, args]) => [key, timed(args)]))
    await runRounds(contenders, 1)
    const figures = await runRounds(contenders, rounds)
    const of = (key: keyof typeof commands) => figures.get(key) ?? []
    const bare = `node -e 0: ${ms(median(of('bare')))}`
    return [
      medianAtMost('sluice cost', 300, 'ms', of('day'), bare),
      medianAtMost('sluice cost --by session', 300, 'ms', of('session'), bare),
      medianAtMost('sluice cost --by month --breakdown', 300, 'ms', of('breakdown'), bare),
      medianAtMost('sluice cost --blocks', 300, 'ms', of('blocks'), bare),
      medianAtMost('sluice cost --since', 300, 'ms', of('today'), bare),
      {
        ...{ name: 'adding up the log of an older version, once', goal: '', verdict: 'ok' },
        ...{ measured: ms(filledMs), details: 'in the background' },
      },
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const wallMs = (args: string[], env: NodeJS.ProcessEnv): number => {
  const began = performance.now()
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'ignore' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} exited with code ${status}`)
  return performance.now() - began
}

/**
 * Writes the events as rows, and lets the log add them up like those of an older version. Returns how
 * long that took.
 */
const fill = async (directory: string, sessions: number): Promise<number> => {
  await (await openSqliteLog(directory)).close()
  const database = new DatabaseSync(join(directory, 'sluice.db'))
  database.exec(`
    PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 10000; BEGIN;
    CREATE TEMP TABLE numbers AS WITH RECURSIVE n (n) AS (
      SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${eventsPerSession}) SELECT n FROM n`)
  const insertSession = database.prepare(
    'INSERT INTO sessions (id, agent, state, created_at, record) VALUES (?, ?, ?, ?, ?)',
  )
  const every = eventsPerSession / usagePerSession
  const insertDeltas = database.prepare(
    `INSERT INTO events (session, seq, text) SELECT ?1, n,
      '{"type":"message_update","messageId":"m1","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"some words of an answer"},"sessionId":"' || ?2 || '","seq":' || n || ',"timestamp":' || (?3 + n * 5000) || '}'
    FROM numbers WHERE n % ${every} <> 0`,
  )
  const insertUsage = database.prepare('INSERT INTO events (session, seq, text) VALUES (?, ?, ?)')
  for (let number = 1; number <= sessions; number += 1) {
    const at = firstSession + number * betweenSessions
    const id = `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`
    const agent = number % 3 === 0 ? 'pi' : 'claude'
    const times = { createdAt: at, updatedAt: at }
    const record = { id, agent, cwd: '/project', state: 'idle', title: `Task ${number}`, ...times }
    insertSession.run(id, agent, 'idle', at, JSON.stringify(record))
    insertDeltas.run(number, id, at)
    for (let seq = every; seq <= eventsPerSession; seq += every)
      insertUsage.run(number, seq, usageText(id, seq, at + seq * 5000))
  }
  database.exec('INSERT INTO spending_unfilled SELECT number FROM sessions; COMMIT')
  database.close()
  const began = performance.now()
  const log = await openSqliteLog(directory)
  while ((await log.spending.unfilled()) > 0) await wait(50)
  const took = performance.now() - began
  await log.close()
  return took
}

const usageText = (sessionId: string, seq: number, timestamp: number): string => {
  const totalsOf = (share: number) => ({
    ...{ input: seq * share, output: seq, cacheRead: seq * 90, cacheWrite: seq * 3 },
    ...{ costUsd: seq * 0.0005 * share },
    provenance: { tokens: 'reported', cost: 'reported' },
  })
  const byModel = { 'claude-opus-5-5': totalsOf(4), 'claude-haiku-5': totalsOf(1) }
  const event = { type: 'usage_update', totals: totalsOf(5), byModel, context: null }
  return JSON.stringify({ ...event, sessionId, seq, timestamp })
}
