// The way to the socket on which a server takes the messages of hooks. Plain JavaScript that loads almost
// nothing: agents load it, or start programs that do.
import { closeSync, constants, openSync, statSync } from 'node:fs'
import { connect } from 'node:net'

/** The shortest limit of the supported systems for the path of a socket is 104 bytes. */
const maxPathBytes = 100

/** The socket of the server, by a path that is short enough. */
const socketPath = (data) => {
  const path = `${data}/hooks.sock`
  if (Buffer.byteLength(path) <= maxPathBytes) return { path, release() {} }
  const handle = openSync(data, constants.O_RDONLY | constants.O_DIRECTORY)
  return { path: `/proc/self/fd/${handle}/hooks.sock`, release: () => closeSync(handle) }
}

/**
 * Whether nobody else can have put a socket there. A data directory can be gone, and its name free for
 * others, as below /tmp after a restart: they must not allow calls.
 */
const isPrivate = (data) => {
  const { uid, mode } = statSync(data)
  const user = process.getuid?.() ?? 0
  return (user === 0 || user === uid) && (mode & 0o022) === 0
}

/**
 * Connects to the server of a data directory. Throws if there is no such directory, or if others can
 * write in it.
 */
export const connectToServer = (data, { onLine, onClose }) => {
  if (!isPrivate(data)) throw new Error('The data directory is not private.')
  const { path, release } = socketPath(data)
  const socket = connect({ path })
  let received = ''
  let isReleased = false
  const releaseOnce = () => {
    if (!isReleased) release()
    isReleased = true
  }
  socket.setEncoding('utf8')
  socket.on('connect', releaseOnce)
  socket.on('error', () => {})
  socket.on('close', () => {
    releaseOnce()
    onClose()
  })
  socket.on('data', (text) => {
    const lines = (received + text).split('\n')
    received = lines.pop()
    for (const line of lines) onLine(line)
  })
  return socket
}
