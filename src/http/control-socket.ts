import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  openPrivateSocket,
  type PrivateSocket,
  reachSocket,
  socketIn,
} from '../files/private-socket.ts'

const name = 'control.sock'

/**
 * Opens `control.sock` in a data directory, through which the command line on this machine gets in. It
 * hands a one-time ticket to every client, and only the owner can connect.
 */
export const openControlSocket = (
  directory: string,
  createTicket: () => string,
): Promise<PrivateSocket> =>
  openPrivateSocket(directory, {
    name,
    maxConnections: 16,
    onConnection: (connection) => void connection.end(createTicket()),
  })

/**
 * A one-time ticket of the server that runs on a data directory: a bearer token for one request.
 * `path` is where the server says its socket is, if not in the directory. Rejects with the error of
 * the system when nobody listens.
 */
export const requestTicket = async (directory: string, path?: string): Promise<string> => {
  const reached = reachSocket(directory, name)
  try {
    const connection = connect({ path: path ?? reached?.path ?? socketIn(directory, name) })
    connection.setTimeout(20_000, () =>
      connection.destroy(new Error('The server does not respond.')),
    )
    return await text(connection)
  } finally {
    reached?.release()
  }
}
