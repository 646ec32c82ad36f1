import { type Auth, createAuth } from '../auth/auth.ts'
import { ApiError } from '../client/api-error.ts'
import { createAuditor } from '../log/auditor.ts'
import { LogFault } from '../log/log-fault.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { Fault } from '../shared/fault.ts'
import { Problem } from '../shared/problem.ts'
import { connectToServer } from './connect-to-server.ts'

/** The keys, and how to close what they were read from. */
export type OpenKeys = Auth['keys'] & { close(): Promise<void> }

/** The keys of a data directory: directly, or through the server that has it open. */
export const openKeys = async (directory: string): Promise<OpenKeys> => {
  try {
    const log = await openSqliteLog(directory)
    const { keys } = createAuth({
      ...log,
      serverId: 'terminal', // no browser comes here
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
  const client = connectToServer(directory)
  if (!client) return undefined
  const { create, list, revoke } = client.keys
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

/** Turns errors of the server into faults that the terminal can print. */
export const asFault = async <Result>(result: Promise<Result>): Promise<Result> => {
  try {
    return await result
  } catch (cause) {
    if (cause instanceof Problem) throw new Fault('usage', cause.message, { cause })
    if (cause instanceof ApiError) throw new Fault('usage', cause.detail, { cause })
    throw cause
  }
}
