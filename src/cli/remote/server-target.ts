import { isLoopback } from '../../auth/origins.ts'
import { ApiError } from '../../client/api-error.ts'
import { type Client, createClient } from '../../client/client.ts'
import { Fault } from '../../shared/fault.ts'
import { connectToServer, requireServer } from '../connect-to-server.ts'
import { faultOf } from '../open-admin.ts'
import { printError } from '../terminal.ts'

/** Which server a command talks to: the one at `url`, or the one that has the data directory. */
export interface ServerTarget {
  url?: string
  /** A key for the server at `url`. */
  token?: string
  data: string
}

/** A client of the server; undefined when there is no `url` and no server has the directory. */
export const serverAt = ({ url, token, data }: ServerTarget): Client | undefined => {
  if (url === undefined) return connectToServer(data)
  const { protocol, hostname, host } = new URL(url)
  if (protocol === 'http:' && !isLoopback(hostname))
    printError(`the connection to ${host} is not encrypted. Everybody in between can read the key.`)
  return createClient({ url, ...(token !== undefined && { token }) })
}

/** The same, for commands that need a server. Throws a fault when there is none. */
export const requireServerAt = (target: ServerTarget): Client =>
  serverAt(target) ?? requireServer(target.data)

/** Runs calls to a server. What the server refuses becomes a fault that says what to do. */
export const onServer = async <Result>(
  { url }: Pick<ServerTarget, 'url'>,
  calls: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await calls()
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    throw serverFault(cause, url)
  }
}

const serverFault = (cause: ApiError, url: string | undefined): Fault => {
  if (url === undefined) return faultOf(cause)
  if (cause.status === 0)
    return new Fault('not_listening', `Cannot reach a server at ${url}.`, { cause })
  if (cause.status !== 401) return faultOf(cause)
  // The detail of the response is for programs: it names the header.
  const problem =
    cause.code === 'token_missing' ? `${url} needs a key.` : `${url} does not accept this key.`
  const advice =
    'Put a key of the server into SLUICE_TOKEN. On its machine, `sluice keys add` creates one.'
  return new Fault('usage', `${problem} ${advice}`, { cause })
}
