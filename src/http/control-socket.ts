import { chmodSync, closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'

/** The socket through which the command line on this machine gets in. */
export interface ControlSocket {
  /** Its path, if it does not lie in the data directory. */
  readonly path?: string
  /** Closes and deletes the socket. */
  close(): void
}

/**
 * Opens `control.sock` in a data directory. It hands a one-time ticket to every client, and only
 * the owner can connect: directory and socket are private. Only the process that holds the lock of the data
 * directory may call this: a socket that lies there is left over from a crash, and is replaced.
 */
export const openControlSocket = async (
  directory: string,
  createTicket: () => string,
): Promise<ControlSocket> => {
  chmodSync(directory, 0o700)
  const reached = reachSocket(directory) ?? temporarySocket()
  const { path } = reached
  rmSync(path, { force: true }) // of a link, only the link itself
  const server = createServer((connection) => {
    connection.on('error', () => {})
    connection.end(createTicket())
  })
  server.maxConnections = 16
  await new Promise<void>((opened, failed) => {
    server.once('error', failed)
    server.listen({ path }, opened)
  }).catch((cause: unknown) => {
    reached.release()
    throw cause
  })
  chmodSync(path, 0o600)
  server.unref()
  return {
    ...(reached.isElsewhere && { path }),
    close() {
      server.close()
      rmSync(path, { force: true })
      reached.release()
    },
  }
}

/**
 * A one-time ticket of the server that runs on a data directory: a bearer token for one request.
 * `path` is where the server says its socket is, if not in the directory. Rejects with the error of
 * the system when nobody listens.
 */
export const requestTicket = async (directory: string, path?: string): Promise<string> => {
  const reached = reachSocket(directory)
  try {
    const connection = connect({ path: path ?? reached?.path ?? socketIn(directory) })
    connection.setTimeout(20_000, () =>
      connection.destroy(new Error('The server does not respond.')),
    )
    return await text(connection)
  } finally {
    reached?.release()
  }
}

interface ReachedSocket {
  path: string
  isElsewhere?: true
  release(): void
}

/** The shortest limit of the supported systems for the path of a socket is 104 bytes. */
const maxPathBytes = 100

const socketIn = (directory: string): string => join(resolve(directory), 'control.sock')

/** The socket of a data directory by a path that is short enough; undefined when there is none. */
const reachSocket = (directory: string): ReachedSocket | undefined => {
  const path = socketIn(directory)
  if (Buffer.byteLength(path) <= maxPathBytes) return { path, release() {} }
  if (process.platform !== 'linux') return undefined
  const handle = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  return { path: `/proc/self/fd/${handle}/control.sock`, release: () => closeSync(handle) }
}

/** A socket in a private directory of its own, for systems without `/proc`. */
const temporarySocket = (): ReachedSocket => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-'))
  const release = () => rmSync(directory, { recursive: true, force: true })
  return { path: join(directory, 'control.sock'), isElsewhere: true, release }
}
