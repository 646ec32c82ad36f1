import type { Socket } from 'node:net'
import { callerOf } from './caller.ts'

export interface SilentConnectionOptions {
  /** How many connections may be silent in all. */
  total: number
  /** How many connections of one address may be silent. */
  perAddress: number
  /** How long a connection may be silent before it counts. Default: 1 second. */
  graceMs?: number
  now?(): number
}

/**
 * Limits connections that have not sent a request yet. At the limit, the oldest one is closed, so
 * that whoever opens many and sends nothing, or sends a header very slowly, keeps nobody else out.
 */
export interface SilentConnections {
  /** Counts a new connection, until it is closed or has sent a request. */
  add(socket: Socket): void
  /** The connection has sent a request. */
  remove(socket: Socket): void
  /** How many connections are silent now. */
  size(): number
}

interface Silent {
  address: string
  since: number
}

export const createSilentConnections = (options: SilentConnectionOptions): SilentConnections => {
  const { total, perAddress, graceMs = 1000, now = Date.now } = options
  /** In the order of their arrival. */
  const silent = new Map<Socket, Silent>()
  const counts = new Map<string, number>()

  const remove = (socket: Socket): void => {
    const found = silent.get(socket)
    if (!found) return
    silent.delete(socket)
    const left = (counts.get(found.address) ?? 0) - 1
    if (left > 0) counts.set(found.address, left)
    else counts.delete(found.address)
  }

  /** Closes the oldest connection, of one address or of all, unless it has only just been opened. */
  const closeOldest = (address?: string): void => {
    for (const [socket, found] of silent) {
      if (address !== undefined && found.address !== address) continue
      if (now() - found.since < graceMs) return
      remove(socket)
      socket.destroy()
      return
    }
  }

  return {
    add(socket) {
      const address = callerOf(socket.remoteAddress)
      silent.set(socket, { address, since: now() })
      counts.set(address, (counts.get(address) ?? 0) + 1)
      socket.once('close', () => remove(socket))
      if ((counts.get(address) ?? 0) > perAddress) closeOldest(address)
      if (silent.size > total) closeOldest()
    },
    remove,
    size: () => silent.size,
  }
}
