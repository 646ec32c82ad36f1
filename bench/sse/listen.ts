import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

/** What the load program has said. */
export interface Heard {
  /** Settles when so many events have arrived everywhere; 0 is the word to begin. */
  until(seq: number): Promise<void>
  /** How many times everything has arrived. */
  times(count: number): Promise<void>
}

/** Listens, tells the port, and hears what the load program says. */
export const listen = async (server: Server, events: number): Promise<Heard> => {
  let arrived = -1
  let completed = 0
  let wake = () => {}
  createInterface({ input: process.stdin }).on('line', (line) => {
    arrived = line === 'go' ? Math.max(0, arrived) : Number(line.slice(3))
    if (arrived === events) completed += 1
    wake()
  })
  const wait = async (isReached: () => boolean): Promise<void> => {
    while (!isReached()) await new Promise<void>((resolve) => (wake = resolve))
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
