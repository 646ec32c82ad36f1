import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Log, openSqliteLog } from '../../src/log/index.ts'
import { openSessions } from '../../src/session/registry/open-sessions.ts'
import type { SessionsOptions } from '../../src/session/registry/sessions.ts'
import { gate } from './live.ts'

/** A data directory that is gone after the test. */
export const dataDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-sessions-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export interface DemoSessions extends Partial<SessionsOptions> {
  directory: string
  /** Milliseconds that a word takes. */
  pace?: number
  /** What the sessions see of the log. */
  seen?(log: Log): Log
}

/** Sessions over a database, whose agent is the demo: real processes, without a key. */
export const openDemoSessions = async (options: DemoSessions) => {
  const { directory, pace = 0, seen = (log) => log, ...more } = options
  const log = await openSqliteLog(directory)
  const sessions = await openSessions({
    log: seen(log),
    findProgram: () => process.execPath,
    gate,
    env: { ...process.env, SLUICE_DEMO_PACE: String(pace) },
    policy: 'allow',
    ...more,
  })
  return {
    log,
    ...sessions,
    begin: () => sessions.create({ agent: 'demo', cwd: directory, model: 'demo-script' }),
    async close(): Promise<void> {
      await sessions.close()
      await log.close()
    },
  }
}
