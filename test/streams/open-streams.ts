import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createStamp } from '../../src/events/stamp.ts'
import type { AgentEvent, StampedEvent } from '../../src/events/types.ts'
import { type Log, LogFault, openMemoryLog, openSqliteLog } from '../../src/log/index.ts'
import { createStreams, type Streams, type StreamsOptions } from '../../src/streams/streams.ts'
import { session, temporaryDirectory } from '../log/samples.ts'
import { connect, type Reader, type ReaderOptions } from './reader.ts'

/** Streams behind a real HTTP server, over a real log, with sessions to add events to. */
export interface StreamServer {
  log: Log
  streams: Streams
  port: number
  /** Aborting it ends all streams, as an expired token does. */
  access: AbortController
  /** Creates a session. Returns a function that stamps, stores and publishes its events. */
  createSession(id: string): Promise<WriteEvents>
  /** Connects to the stream of a session. */
  read(id: string, options?: ReaderOptions): Promise<Reader>
  /** Connects to the stream of several sessions. */
  readMany(ids: readonly string[], options?: ReaderOptions): Promise<Reader>
}

/** Stamps, stores and publishes events of one session. Returns them stamped. */
export type WriteEvents = (...events: AgentEvent[]) => Promise<StampedEvent[]>

export interface OpenStreamsOptions extends Omit<StreamsOptions, 'log'> {
  log?: 'memory' | 'sqlite' | Log
}

export const openStreams = async ({
  log: chosen = 'memory',
  ...options
}: OpenStreamsOptions = {}): Promise<StreamServer> => {
  const log = await openLog(chosen)
  const streams = createStreams({ log, onError: fail, ...options })
  const access = new AbortController()
  const http = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const after = searchParams.get('after') ?? undefined
    const common = { request, response, after, signal: access.signal }
    const ids = searchParams
      .get('sessions')
      ?.split(',')
      .filter((id) => id !== '')
    const opened = ids
      ? streams.openMany({ ...common, sessionIds: ids })
      : streams.open({ ...common, sessionId: pathname.slice(1) })
    opened.catch((cause: unknown) => {
      if (!(cause instanceof LogFault)) throw cause
      response.writeHead(404).end(cause.code)
    })
  })
  const port = await listen(http)
  onTestFinished(async () => {
    await streams.close()
    http.closeAllConnections()
    http.close()
    if (typeof chosen === 'string') await log.close()
  })

  return {
    log,
    streams,
    port,
    access,
    async createSession(id) {
      await log.sessions.create(session(id, { projectId: 'p' }))
      return writerOf({ log, streams }, id)
    },
    read: (id, reading) => connect(port, `/${id}`, reading),
    readMany: (ids, reading) => connect(port, `/?sessions=${ids.join(',')}`, reading),
  }
}

/** A function that adds events to a session whose last event is `after`; the first is of `time`. */
export const writerOf = (
  { log, streams }: Pick<StreamServer, 'log' | 'streams'>,
  id: string,
  after = 0,
  time = 1000 + after,
): WriteEvents => {
  let now = time
  const stamp = createStamp(
    id,
    () => {
      now += 1
      return now
    },
    after,
  )
  return async (...events) => {
    const stamped = events.map(stamp)
    await log.append(id, stamped)
    for (const event of stamped) streams.publish(event)
    return stamped
  }
}

const openLog = async (log: 'memory' | 'sqlite' | Log): Promise<Log> => {
  if (log === 'memory') return openMemoryLog()
  if (log === 'sqlite')
    return openSqliteLog(temporaryDirectory('streams'), { synchronous: 'NORMAL' })
  return log
}

const listen = async (http: Server): Promise<number> => {
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const address: AddressInfo | string | null = http.address()
  return typeof address === 'object' && address ? address.port : 0
}

const fail = (cause: unknown) => {
  throw cause
}
