import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { Scope } from '../../src/api/types.ts'
import { type Auth, type AuthOptions, createAuth } from '../../src/auth/auth.ts'
import { type Log, openMemoryLog } from '../../src/log/index.ts'

/** A clock that moves only when told to. */
export const createClock = (time = 1_700_000_000_000) => ({
  now: () => time,
  move(ms: number) {
    time += ms
  },
})

export interface Opened {
  auth: Auth
  log: Log
  secret: Uint8Array
}

/** The id in the names of cookies. */
export const serverId = '0123456789ab'

/** Opens auth over a log in memory. */
export const openAuth = async (options: Partial<AuthOptions> = {}): Promise<Opened> => {
  const log = await openMemoryLog()
  const secret = randomBytes(32)
  const auth = createAuth({ ...log, serverId, secret, ...options })
  onTestFinished(async () => {
    auth.close()
    await log.close()
  })
  return { auth, log, secret }
}

/** Creates a key; `header` is its `Authorization` header. */
export const addKey = async (auth: Auth, scopes: Scope[] = ['read', 'prompt']) => {
  const created = await auth.keys.create({ name: 'test', scopes })
  return { ...created, header: `Bearer ${created.key}` }
}

/** The reason that a signal aborts with. */
export const endOf = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(signal.reason)
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true })
  })
