import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createStamp } from '../../src/events/stamp.ts'
import type { AgentEvent, StampedEvent } from '../../src/events/types.ts'
import { type Log, LogFault, openMemoryLog, openSqliteLog } from '../../src/log/index.ts'
import { createStreams, type Streams, type StreamsOptions } from '../../src/streams/streams.ts'
import { directoryOf, session } from '../log/samples.ts'
import { connect, type Reader, type ReaderOptions } from './reader.ts'

/** A real server on a real log, with sessions that events can be added to. */
export interface World {
  log: Log
  feeds: Streams
  port: number
  /** Cuts all streams opened after the last `renew`. */
  access: AbortController
  /** Begins a session, and gives what stamps, stores and publishes its events. */
  begin(id: string): Promise<(...events: AgentEvent[]) => Promise<StampedEvent[]>>
  /** Connects to a session. */
  read(id: string, options?: ReaderOptions): Promise<Reader>
  /** Connects to several. */
  readMany(ids: readonly string[], options?: ReaderOptions): Promise<Reader>
}

export interface WorldOptions extends Omit<StreamsOptions, 'log'> {
  log?: 'memory' | 'sqlite' | Log
}

export const openWorld = async ({ log: asked = 'memory', ...options }: WorldOptions = {}) => {
  const log = await logOf(asked)
  const feeds = createStreams({ log, onError: fail, ...options })
  const access = new AbortController()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const after = searchParams.get('after') ?? undefined
    const parts = { request, response, after, signal: access.signal }
    const ids = searchParams
      .get('sessions')
      ?.split(',')
      .filter((id) => id !== '')
    const opened = ids
      ? feeds.openMany({ ...parts, sessionIds: ids })
      : feeds.open({ ...parts, sessionId: pathname.slice(1) })
    opened.catch((cause: unknown) => {
      if (!(cause instanceof LogFault)) throw cause
      response.writeHead(404).end(cause.code)
    })
  })
  const port = await listen(server)
  onTestFinished(async () => {
    await feeds.close()
    server.closeAllConnections()
    server.close()
    if (typeof asked === 'string') await log.close()
  })

  const world: World = {
    log,
    feeds,
    port,
    access,
    async begin(id) {
      await log.sessions.create(session(id, { projectId: 'p' }))
      return writerOf(world, id)
    },
    read: (id, reading) => connect(port, `/${id}`, reading),
    readMany: (ids, reading) => connect(port, `/?sessions=${ids.join(',')}`, reading),
  }
  return world
}

/** What stamps, stores and publishes the events of a session that goes on behind `after`. */
export const writerOf = ({ log, feeds }: Pick<World, 'log' | 'feeds'>, id: string, after = 0) => {
  let now = 1000 + after
  const stamp = createStamp(
    id,
    () => {
      now += 1
      return now
    },
    after,
  )
  return async (...events: AgentEvent[]): Promise<StampedEvent[]> => {
    const stamped = events.map(stamp)
    await log.append(id, stamped)
    for (const event of stamped) feeds.publish(event)
    return stamped
  }
}

const logOf = async (asked: 'memory' | 'sqlite' | Log): Promise<Log> => {
  if (asked === 'memory') return openMemoryLog()
  if (asked === 'sqlite') return openSqliteLog(directoryOf('feed'), { synchronous: 'NORMAL' })
  return asked
}

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address: AddressInfo | string | null = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const fail = (cause: unknown) => {
  throw cause
}
