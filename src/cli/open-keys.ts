import { randomBytes } from 'node:crypto'
import { type Auth, createAuth } from '../auth/auth.ts'
import { readBrowserKey } from '../auth/browser-key.ts'
import { ApiError } from '../client/api-error.ts'
import { createClient } from '../client/client.ts'
import { readServerFile } from '../http/server-file.ts'
import { createAuditor } from '../log/auditor.ts'
import { LogFault } from '../log/log-fault.ts'
import { lockHolder } from '../log/sqlite/lock.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { Fault } from '../shared/fault.ts'
import { Problem } from '../shared/problem.ts'

/** The keys, and how to close what they were read from. */
export type OpenKeys = Auth['keys'] & { close(): Promise<void> }

/** The keys of a data directory: directly, or through the server that has it open. */
export const openKeys = async (directory: string): Promise<OpenKeys> => {
  try {
    const log = await openSqliteLog(directory)
    const { keys } = createAuth({
      keys: log.keys,
      secret: randomBytes(32), // it issues no tokens
      recordAction: createAuditor({
        audit: log.audit,
        program: { kind: 'local', id: 'terminal', name: 'terminal' },
        now: Date.now,
        onError(cause) {
          throw cause
        },
      }),
    })
    return { ...withFaults(keys), close: () => log.close() }
  } catch (cause) {
    if (!(cause instanceof LogFault)) throw cause
    const remote = cause.code === 'locked' ? remoteKeys(directory) : undefined
    if (remote) return remote
    const hint = cause.code === 'locked' ? ' It is not a Sluice server; stop it first.' : ''
    throw new Fault('data_not_opened', `${cause.message}${hint}`, { cause })
  }
}

/** Keys through the server that has the directory open; undefined when no server has it. */
const remoteKeys = (directory: string): OpenKeys | undefined => {
  const server = readServerFile(directory)
  // A server that crashed leaves its file behind, and another program may listen there now.
  if (!server || server.pid !== lockHolder(directory)) return undefined
  const token = readBrowserKey(directory)
  const { keys } = createClient({ url: server.url, ...(token !== undefined && { token }) })
  const { create, list, revoke } = keys
  return {
    ...withFaults({ create, list: () => list(), revoke: (id) => revoke(id) }),
    close: async () => {},
  }
}

/** The same keys, with errors as faults that the terminal can print. */
const withFaults = (keys: Auth['keys']): Auth['keys'] => ({
  create: (newKey) => asFault(keys.create(newKey)),
  list: () => asFault(keys.list()),
  revoke: (id) => asFault(keys.revoke(id)),
})

const asFault = async <Result>(result: Promise<Result>): Promise<Result> => {
  try {
    return await result
  } catch (cause) {
    if (cause instanceof Problem) throw new Fault('usage', cause.message, { cause })
    if (cause instanceof ApiError) throw new Fault('usage', messageOf(cause), { cause })
    throw cause
  }
}

const messageOf = ({ status, code, detail }: ApiError): string => {
  if (status !== 401) return detail
  return `The running server refuses its own key (${code}). Restart it: it then creates a new key.`
}
