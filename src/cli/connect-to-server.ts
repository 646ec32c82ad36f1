import { ApiError } from '../client/api-error.ts'
import { type Client, createClient } from '../client/client.ts'
import { requestTicket } from '../http/control-socket.ts'
import { readServerFile, type ServerFile } from '../http/server-file.ts'
import { lockHolder } from '../log/sqlite/lock.ts'
import { processTable } from '../process/process-table.ts'
import { Fault } from '../shared/fault.ts'

/** The server that has a data directory open; undefined when no server has it. */
export const runningServer = (directory: string): ServerFile | undefined => {
  const server = readServerFile(directory)
  // A server that crashed leaves its file behind, and another program may listen there now.
  if (!server || server.pid !== lockHolder(directory)) return undefined
  // A server that was killed leaves the file of its lock behind, too.
  return processTable.startTimeOf(server.pid) === undefined ? undefined : server
}

/**
 * A client of the server that has a data directory open; undefined when no server has it. Each request
 * uses a ticket from the control socket, which only the owner of the directory can open.
 */
export const connectToServer = (directory: string): Client | undefined => {
  const server = runningServer(directory)
  if (!server) return undefined
  return createClient({
    url: server.url,
    token: () => ticketOf(directory),
    // A server that was restarted may listen on another port.
    fetch: (url, init) => fetch(currentAddress(directory, url), init),
  })
}

/** A ticket for one request. Without a server it is as if the server was not reached: streams retry. */
const ticketOf = async (directory: string): Promise<string> => {
  try {
    return await requestTicket(directory, readServerFile(directory)?.control)
  } catch (cause) {
    const detail = `The server on ${directory} does not respond on its control socket. Restart it.`
    throw new ApiError({ status: 0, code: 'unreachable', detail, cause })
  }
}

const currentAddress = (directory: string, url: string): string => {
  const server = readServerFile(directory)
  if (!server) return url
  const { pathname, search } = new URL(url)
  return new URL(`${pathname}${search}`, server.url).href
}

/** The same, for commands that need a running server. Throws a fault when there is none. */
export const requireServer = (directory: string): Client => {
  const client = connectToServer(directory)
  if (client) return client
  throw new Fault(
    'usage',
    `No server runs on ${directory}. Start it with \`sluice serve\`, or name its directory with --data.`,
  )
}
