import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Log, openSqliteLog } from '../../src/log/index.ts'
import { openSessions } from '../../src/session/registry/open-sessions.ts'
import type {
  CreatedSession,
  Sessions,
  SessionsOptions,
} from '../../src/session/registry/sessions.ts'

/** A data directory that is removed after the test. */
export const dataDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-sessions-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export interface DemoSessionsOptions extends Partial<SessionsOptions> {
  directory: string
  /** How many ms the demo takes per word. */
  pace?: number
  /** Changes how the sessions see the log. */
  wrapLog?(log: Log): Log
}

export interface DemoSessions extends Sessions {
  log: Log
  /** Creates a session with the demo agent. */
  createDemoSession(): Promise<CreatedSession>
}

/** Sessions over a database with the demo agent: real processes, without an API key. */
export const openDemoSessions = async (options: DemoSessionsOptions): Promise<DemoSessions> => {
  const { directory, pace = 0, wrapLog = (log) => log, ...more } = options
  const log = await openSqliteLog(directory)
  const sessions = await openSessions({
    log: wrapLog(log),
    findProgram: () => process.execPath,
    env: { ...process.env, SLUICE_DEMO_PACE: String(pace) },
    policy: 'allow',
    ...more,
  })
  return {
    log,
    ...sessions,
    createDemoSession: () =>
      sessions.create({ agent: 'demo', cwd: directory, model: 'demo-script' }),
    async close() {
      await sessions.close()
      await log.close()
    },
  }
}
