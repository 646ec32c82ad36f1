import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type Auth,
  createAuth,
  createServer,
  createStreams,
  createTurnDiffs,
  createTurnStarts,
  type Log,
  openMemoryLog,
  openSessions,
  type ServerOptions,
  type Streams,
} from '../../src/http/index.ts'
import { session } from '../log/samples.ts'

export interface MemoryServerOptions extends Pick<ServerOptions, 'limits' | 'onError'> {
  /** Runs before each check of a token. */
  beforeCheck?(): Promise<void>
  /** Runs before the agent context is opened; may throw. */
  beforeAgents?(): void
}

export interface MemoryServer {
  port: number
  /** Where the API begins. */
  url: string
  /** A key with the scopes read, prompt and admin. */
  key: string
  log: Log
  streams: Streams
  /** The allowed root directory. */
  root: string
}

/** Starts a server over a log in memory that holds one session, `s`. It is closed after the test. */
export const startMemoryServer = async (
  options: MemoryServerOptions = {},
): Promise<MemoryServer> => {
  const { limits = {}, beforeCheck, beforeAgents, onError = fail } = options
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-memory-')))
  const log = await openMemoryLog()
  await log.sessions.create(session('s'))
  const streams = createStreams({ log })
  const turnDiffs = createTurnDiffs({ directory, log })
  const turnStarts = createTurnStarts({ log, turnDiffs, onError: fail })
  const sessions = await openSessions({
    log,
    onSession: streams.publishLifecycle,
    publish: streams.publish,
  })
  const real = createAuth({ ...log, serverId: 'test' })
  const auth: Auth = {
    ...real,
    async authenticate(...credentials) {
      await beforeCheck?.()
      return real.authenticate(...credentials)
    },
  }
  const server = createServer({
    log,
    streams,
    auth,
    limits,
    openAgents() {
      beforeAgents?.()
      const agents = { list: async () => [], isInstalled: () => false }
      return { sessions, turnDiffs, turnStarts, agents }
    },
    host: '127.0.0.1',
    roots: [directory],
    version: '0',
    onError,
  })
  const port = await server.listen(0)
  const { key } = await real.keys.create({ name: 'k', scopes: ['read', 'prompt', 'admin'] })
  onTestFinished(async () => {
    await sessions.close()
    await Promise.all([server.close(0), streams.close()])
    await turnDiffs.close()
    real.close()
    await log.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return { root: directory, port, url: `http://127.0.0.1:${port}/api/v1`, key, log, streams }
}

const fail = (cause: unknown) => {
  throw cause
}
