import { onTestFinished } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import type { NatsCluster } from '../support/nats-server.ts'
import {
  createServerDirectories,
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
} from '../support/server-process.ts'

/** How long a node of a test may be silent. */
export const leaseSeconds = 3

/** Nodes of one tenant, as processes that share a directory with projects. */
export interface TestNodes {
  readonly projects: string
  readonly tenant: string
  start(name: string, options?: ServerProcessOptions & { data?: string }): Promise<ServerProcess>
}

let tenants = 0

export const createTestNodes = (nats: NatsCluster): TestNodes => {
  tenants += 1
  const tenant = `t${process.pid}-${tenants}`
  const shared = createServerDirectories()
  onTestFinished(() => shared.remove())
  return {
    projects: shared.projects,
    tenant,
    async start(name, { data, args = [], ...options } = {}) {
      const own = createServerDirectories()
      onTestFinished(() => own.remove())
      const node = await startServerProcess(
        { ...own, data: data ?? own.data, projects: shared.projects },
        {
          ...options,
          args: [
            ...['--nats', nats.urls.join(','), '--tenant', tenant, '--node', name],
            ...['--sandbox', 'off', ...args],
          ],
        },
      )
      onTestFinished(async () => {
        if (node.child.exitCode === null && node.child.signalCode === null)
          await node.stop('SIGKILL')
      })
      if (node.url === '') throw new Error(`Node ${name} did not start: ${node.output.stderr}`)
      return node
    },
  }
}

/** What a reader of a session gets. */
export interface Reader {
  readonly events: StampedEvent[]
  /** Resolves with the first event of a type, from an index on. */
  next<Type extends StampedEvent['type']>(
    type: Type,
    from?: number,
  ): Promise<Extract<StampedEvent, { type: Type }>>
  /** Throws unless the events are all of the session, each once and in order. */
  check(): void
  stop(): void
}

/** Reads a session from its first event on. */
export const readSession = (
  { client }: Pick<ServerProcess, 'client'>,
  sessionId: string,
  after: number | string = 0,
): Reader => {
  const events: StampedEvent[] = []
  const stopped = new AbortController()
  let wake = Promise.withResolvers<void>()
  const read = async (): Promise<void> => {
    const stream = client.sessions.stream(sessionId, { after, signal: stopped.signal })
    for await (const event of stream) {
      if ('seq' in event && event.type !== 'snapshot') events.push(event)
      wake.resolve()
      wake = Promise.withResolvers()
    }
  }
  const reading = read()
  onTestFinished(async () => {
    stopped.abort()
    await reading
  })
  return {
    events,
    async next(type, from = 0) {
      for (;;) {
        const found = events.slice(from).find((each) => each.type === type)
        if (found && hasType(found, type)) return found
        await wake.promise
      }
    },
    check() {
      const [first] = events
      for (const [index, { seq }] of events.entries())
        if (seq !== (first?.seq ?? 0) + index)
          throw new Error(`event ${seq} is at the place of ${(first?.seq ?? 0) + index}`)
    },
    stop: () => stopped.abort(),
  }
}

const hasType = <Type extends StampedEvent['type']>(
  event: StampedEvent,
  type: Type,
): event is Extract<StampedEvent, { type: Type }> => event.type === type
