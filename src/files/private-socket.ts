import { chmodSync, closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A socket that only the owner of a directory can connect to. */
export interface PrivateSocket {
  /** Its path, if it does not lie in the directory. */
  readonly path?: string
  /** Closes and deletes the socket. Connections that are open stay open. */
  close(): void
}

export interface PrivateSocketOptions {
  /** Its name in the directory. */
  name: string
  /** How many connections may be open. */
  maxConnections: number
  onConnection(connection: Socket): void
}

/**
 * Opens a socket in a directory that is made private. Only the process that holds the lock of the
 * directory may call this: a socket that lies there is left over from a crash, and is replaced.
 */
export const openPrivateSocket = async (
  directory: string,
  { name, maxConnections, onConnection }: PrivateSocketOptions,
): Promise<PrivateSocket> => {
  chmodSync(directory, 0o700)
  const reached = reachSocket(directory, name) ?? temporarySocket(name)
  const { path } = reached
  rmSync(path, { force: true }) // of a link, only the link itself
  const server = createServer((connection) => {
    connection.on('error', () => {})
    onConnection(connection)
  })
  server.maxConnections = maxConnections
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

/** A socket by a path that is short enough. */
export interface ReachedSocket {
  path: string
  isElsewhere?: true
  release(): void
}

/** The shortest limit of the supported systems for the path of a socket is 104 bytes. */
const maxPathBytes = 100

/** The path of a socket in a directory, of any length. */
export const socketIn = (directory: string, name: string): string => join(resolve(directory), name)

/** The socket of a directory by a path that is short enough; undefined when there is none. */
export const reachSocket = (directory: string, name: string): ReachedSocket | undefined => {
  const path = socketIn(directory, name)
  if (Buffer.byteLength(path) <= maxPathBytes) return { path, release() {} }
  if (process.platform !== 'linux') return undefined
  const handle = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  return { path: `/proc/self/fd/${handle}/${name}`, release: () => closeSync(handle) }
}

/** A socket in a private directory of its own, for systems without `/proc`. */
const temporarySocket = (name: string): ReachedSocket => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-'))
  const release = () => rmSync(directory, { recursive: true, force: true })
  return { path: join(directory, name), isElsewhere: true, release }
}
