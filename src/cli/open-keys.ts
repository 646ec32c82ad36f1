import { createApiKeys } from '../auth/api-keys.ts'
import type { Auth } from '../auth/auth.ts'
import { readBrowserKey } from '../auth/browser-key.ts'
import { ApiError } from '../client/api-error.ts'
import { createClient } from '../client/client.ts'
import { readServerFile } from '../http/server-file.ts'
import { LogFault } from '../log/log-fault.ts'
import { lockHolder } from '../log/sqlite/lock.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { Fault } from '../shared/fault.ts'
import { Problem } from '../shared/problem.ts'

export type OpenKeys = Auth['keys'] & { close(): Promise<void> }

/** The keys of a data directory: its own, or through the server that has it. */
export const openKeys = async (directory: string): Promise<OpenKeys> => {
  try {
    const log = await openSqliteLog(directory)
    const { create, list, revoke } = createApiKeys(log.keys, Date.now)
    return { ...told({ create, list, revoke }), close: () => log.close() }
  } catch (cause) {
    if (!(cause instanceof LogFault)) throw cause
    const remote = cause.code === 'locked' ? remoteKeys(directory) : undefined
    if (remote) return remote
    const hint = cause.code === 'locked' ? ' End it first: it is no server to be asked.' : ''
    throw new Fault('data_not_opened', `${cause.message}${hint}`, { cause })
  }
}

/** Through the server that has the directory, if it is one. */
const remoteKeys = (directory: string): OpenKeys | undefined => {
  const server = readServerFile(directory)
  // One that crashed left its file behind: who listens there now must not be shown a key.
  if (!server || server.pid !== lockHolder(directory)) return undefined
  const token = readBrowserKey(directory)
  const { keys } = createClient({ url: server.url, ...(token !== undefined && { token }) })
  const { create, list, revoke } = keys
  return {
    ...told({ create, list: () => list(), revoke: (id) => revoke(id) }),
    close: async () => {},
  }
}

/** Refusals in words for the terminal. */
const told = (keys: Auth['keys']): Auth['keys'] => ({
  create: (asked) => inWords(keys.create(asked)),
  list: () => inWords(keys.list()),
  revoke: (id) => inWords(keys.revoke(id)),
})

const inWords = async <Result>(asked: Promise<Result>): Promise<Result> => {
  try {
    return await asked
  } catch (cause) {
    if (cause instanceof Problem) throw new Fault('usage', cause.message, { cause })
    if (cause instanceof ApiError) throw new Fault('usage', adviceOf(cause), { cause })
    throw cause
  }
}

const adviceOf = ({ status, code, detail }: ApiError): string => {
  if (status !== 401) return detail
  return `The running server refuses its own key (${code}). Start it again: it makes a new one.`
}
