import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkOrder } from '../../../src/events/order.ts'
import type { StampedEvent } from '../../../src/events/types.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'

/** A reader that reconnects by itself, with the events it received in order. */
const follow = (server: ServerProcess, id: string, signal: AbortSignal) => {
  const seqs: number[] = []
  const types: string[] = []
  const waiting = new Set<() => void>()
  const reading = (async () => {
    for await (const event of server.client.sessions.stream(id, { signal })) {
      if (event.type === 'snapshot' || !('seq' in event)) {
        types.push(event.type)
        if (event.type === 'snapshot') seqs.push(event.seq)
      } else {
        seqs.push(event.seq)
        types.push(event.type)
      }
      for (const look of waiting) look()
    }
  })()
  return {
    seqs,
    types,
    reading,
    /** Resolves when the received events fulfil a condition. */
    until(holds: () => boolean): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = () => {
        if (!holds()) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
      return promise
    },
  }
}

describe('a server that is killed under load', () => {
  let directories: ServerDirectories
  let server: ServerProcess | undefined
  beforeEach(() => {
    directories = createServerDirectories()
  })
  afterEach(async () => {
    if (server?.child.exitCode === null) await server.stop('SIGKILL')
    directories.remove()
  })

  test('restarts, and its readers continue without a gap', async () => {
    const env = { ...process.env, SLUICE_DEMO_PACE: '10' }
    const first = await startServerProcess(directories, { env })
    server = first
    const { client } = first
    const project = await client.projects.create({ name: 'P', path: directories.projects })
    const begin = () => client.sessions.create({ projectId: project.id, agent: 'demo' })
    const sessions = await Promise.all([begin(), begin(), begin()])
    const over = new AbortController()
    const readers = sessions.flatMap(({ id }) =>
      [1, 2, 3, 4].map(() => ({ id, ...follow(first, id, over.signal) })),
    )
    for (const { id } of sessions) await client.sessions.prompt(id, 'long')
    await Promise.all(readers.map(({ seqs, until }) => until(() => seqs.length > 40)))

    await first.stop('SIGKILL')
    // Every published event is stored: the next start has them all, and closes what was open.
    server = await startServerProcess(directories, { env, port: first.port })
    const ended = (types: string[]) => types.includes('agent_end')
    await Promise.all(readers.map(({ types, until }) => until(() => ended(types))))
    for (const { id } of sessions) await server.client.sessions.prompt(id, 'think')
    const runs = (types: string[]) => types.filter((type) => type === 'agent_end').length
    await Promise.all(readers.map(({ types, until }) => until(() => runs(types) === 2)))
    over.abort()
    await Promise.all(readers.map(({ reading }) => reading))

    for (const { id, seqs, types } of readers) {
      const [start = 0] = seqs
      expect(seqs).toEqual(seqs.map((_, at) => start + at))
      expect(types.filter((type) => type === 'snapshot')).toHaveLength(1)
      const kept = await eventsOf(server, id)
      expect(seqs.at(-1)).toBeLessThanOrEqual(kept.length)
      expect(checkOrder(kept)).toEqual([])
      expect(kept.filter(({ type }) => type === 'agent_end')).toMatchObject([
        { interrupted: true },
        {},
      ])
    }
  })
})

const eventsOf = async ({ client }: ServerProcess, id: string): Promise<StampedEvent[]> => {
  const events: StampedEvent[] = []
  let next: string | undefined = '0'
  while (next !== undefined) {
    const page = await client.sessions.events(id, { after: next, limit: 5000 })
    events.push(...page.events)
    next = page.next
  }
  return events
}
