import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { isFromAgent } from '../process/agent-connections.ts'
import { Problem } from '../shared/problem.ts'

/** Finds out which connections were opened by agents, once per connection. */
export interface Callers {
  /** Starts to look for the process that opened a connection. */
  identify(socket: Socket): void
  /** Throws a `Problem` 403 if an agent, or a process below one, opened the connection of a request. */
  refuseAgents(request: IncomingMessage): Promise<void>
}

export const createCallers = (): Callers => {
  const fromAgent = new WeakMap<Socket, Promise<boolean>>()
  return {
    identify(socket) {
      // At once, because a client that has closed its end cannot be found any more.
      const found = isFromAgent(socket)
      found.catch(() => {}) // the request that waits for it fails
      fromAgent.set(socket, found)
    },
    async refuseAgents({ socket }) {
      if (!(await fromAgent.get(socket))) return
      throw new Problem(
        403,
        'from_agent',
        'This request comes from an agent, or from a program that an agent started. Agents may not use the server that supervises them.',
      )
    },
  }
}
