import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type GeneratedSession,
  nothingServed,
  type Served,
  SessionWriter,
} from '../../bench/import/claude-session.ts'
import { createHistoryText } from '../../bench/import/history-text.ts'
import type { Totals } from '../../src/events/types.ts'
import type { Log } from '../../src/log/index.ts'
import { eventsOf, sessionsOf } from './rig.ts'

/** Sessions of Claude Code that a model has served, as a test makes them. */
export const createConversations = () => {
  const text = createHistoryText(11, Date.parse('2026-09-01T00:00:00Z'))
  const served = nothingServed()
  const begin = () =>
    new SessionWriter({
      ...{ text, id: text.uuid(), cwd: '/home/dev/project', onlyMessages: true, served },
    })
  return {
    /** What the model has served so far. */
    served,
    /** A conversation of so many turns, which was left. */
    talk(turns: number): GeneratedSession {
      const writer = begin()
      for (let turn = 0; turn < turns; turn += 1) writer.turn(1, false)
      writer.exit()
      return writer.session
    },
    /** A copy of a conversation that goes on: by `/branch`, or by `--fork-session`. */
    copy(original: GeneratedSession, how: 'branch' | 'fork', turns = 1): GeneratedSession {
      const writer = begin()
      writer.copy(original, how === 'branch')
      for (let turn = 0; turn < turns; turn += 1) writer.turn(1, false)
      writer.exit()
      return writer.session
    },
  }
}

/** Puts sessions where Claude Code stores them. Those that come first changed last: they are read first. */
export const putSessions = (
  home: string,
  sessions: readonly GeneratedSession[],
  folder = '-home-dev-project',
): string[] =>
  sessions.map((session, index) => {
    const path = join(home, '.claude/projects', folder, `${session.id}.jsonl`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${session.lines.join('\n')}\n`)
    const at = new Date(Date.parse('2026-10-01T00:00:00Z') - index * 60_000)
    utimesSync(path, at, at)
    return path
  })

/** What all sessions of a log have used. */
export const usedIn = async (log: Log): Promise<Omit<Served, 'calls'>> => {
  const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 }
  for (const { id } of await sessionsOf(log)) {
    const totals: Totals | undefined = (await eventsOf(log, id)).findLast(
      (event) => event.type === 'usage_update',
    )?.totals
    for (const key of ['input', 'output', 'cacheRead', 'cacheWrite', 'costUsd'] as const)
      sum[key] += totals?.[key] ?? 0
  }
  return rounded(sum)
}

/** Amounts to compare: sums of fractions differ in their last digits. */
export const rounded = ({ costUsd, ...tokens }: Omit<Served, 'calls'>) => ({
  ...{ input: tokens.input, output: tokens.output },
  ...{ cacheRead: tokens.cacheRead, cacheWrite: tokens.cacheWrite },
  costUsd: Number(costUsd.toFixed(4)),
})
