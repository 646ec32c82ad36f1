import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

/** How far the load program is. */
export interface LoadProgress {
  /** Resolves when all clients have received the event `seq`; with 0, when they are ready. */
  until(seq: number): Promise<void>
  /** Resolves when all clients have received all events for the `count`th time. */
  times(count: number): Promise<void>
}

/** Listens, prints the port, and follows the reports of the load program on stdin. */
export const listen = async (server: Server, events: number): Promise<LoadProgress> => {
  let arrived = -1
  let completed = 0
  let onReport = () => {}
  createInterface({ input: process.stdin }).on('line', (line) => {
    arrived = line === 'go' ? Math.max(0, arrived) : Number(line.slice(3))
    if (arrived === events) completed += 1
    onReport()
  })
  const wait = async (isReached: () => boolean): Promise<void> => {
    while (!isReached()) await new Promise<void>((resolve) => (onReport = resolve))
  }
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
  await once(server, 'listening')
  const address: AddressInfo | string | null = server.address()
  process.stdout.write(`port ${typeof address === 'object' && address ? address.port : 0}\n`)
  return {
    until: (seq) => wait(() => arrived >= seq),
    times: (count) => wait(() => completed >= count),
  }
}
