import { parseEventCursor } from '../../api/cursors.ts'
import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import type { ReadCursor } from '../../client/stream/event-cursor.ts'
import type { StreamState } from '../../client/stream/read-stream.ts'
import type { StreamEvent } from '../../client/stream-events.ts'
import type { Snapshot, StampedEvent } from '../../events/types.ts'
import { Fault } from '../../shared/fault.ts'

/** The events of one session on a server, as they happen. */
export interface ServerFeed {
  /** Resolves when the event with this seq was passed on, or the feed has ended. */
  reached(seq: number): Promise<void>
  /** Resolves when a condition holds after an event, or the feed has ended. */
  until(holds: () => boolean): Promise<void>
  /** Resolves when the feed was closed. Rejects with a fault when it cannot go on. */
  readonly ended: Promise<void>
  close(): void
}

export interface ServerFeedOptions {
  /** The cursor of the last event that was seen; 0 for all events. */
  after: ReadCursor
  /** Receives each event. The next one waits for its promise. */
  onEvent(event: StampedEvent): void | Promise<void>
  /** The server left out events, and sends what the session looks like now. */
  onSnapshot(snapshot: Snapshot): void
  /** Receives what a person should know about the connection. */
  notice(text: string): void
  /** Gives up when the server cannot be reached for so long. Default: never. */
  giveUpMs?: number
}

export const openServerFeed = (
  client: Client,
  sessionId: string,
  options: ServerFeedOptions,
): ServerFeed => {
  const closing = new AbortController()
  const waiting = new Set<() => void>()
  let seen = parseEventCursor(`${options.after}`)?.seq ?? 0
  let hasEnded = false
  const connection = watchConnection(options, () => closing.abort())

  const receive = async (event: StreamEvent): Promise<void> => {
    if (event.type === 'snapshot') options.onSnapshot(event)
    else if ('seq' in event) await options.onEvent(event)
    else return noticeOf(event, options.notice)
    seen = event.seq
    for (const check of waiting) check()
  }

  const read = async (): Promise<void> => {
    const { after } = options
    const stream = { after, signal: closing.signal, onState: connection.change }
    for await (const event of client.sessions.stream(sessionId, stream)) await receive(event)
    if (connection.isLost())
      throw new Fault('not_listening', 'The server cannot be reached any more.')
  }

  const ended = read()
    .catch((cause: unknown) => {
      throw cause instanceof ApiError ? new Fault('usage', cause.detail, { cause }) : cause
    })
    .finally(() => {
      hasEnded = true
      connection.stop()
      for (const check of waiting) check()
    })
  // Who needs the end waits for it.
  ended.catch(() => {})

  const until = async (holds: () => boolean): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = () => {
      if (hasEnded || holds()) resolve()
    }
    waiting.add(check)
    check()
    await promise
    waiting.delete(check)
  }

  return {
    reached: (seq) => until(() => seen >= seq),
    until,
    ended,
    close: () => closing.abort(),
  }
}

/** Reports that the connection is lost, and that it is back. Gives up if it stays lost. */
const watchConnection = (
  { notice, giveUpMs }: Pick<ServerFeedOptions, 'notice' | 'giveUpMs'>,
  giveUp: () => void,
) => {
  let timer: NodeJS.Timeout | undefined
  let isLost = false
  const stop = () => clearTimeout(timer)
  const change = connectionNotices((text, isConnected) => {
    notice(text)
    stop()
    if (isConnected || giveUpMs === undefined) return
    timer = setTimeout(() => {
      isLost = true
      giveUp()
    }, giveUpMs)
  })
  return { change, isLost: () => isLost, stop }
}

/** Calls `notice` when the connection of a stream is lost, and when it is back. */
export const connectionNotices = (notice: (text: string, isConnected: boolean) => void) => {
  let isWaiting = false
  return ({ status }: StreamState): void => {
    if (status === 'waiting' && !isWaiting)
      notice('The connection to the server is lost. Trying again…', false)
    if (status === 'live' && isWaiting) notice('Connected again.', true)
    if (status === 'waiting' || status === 'live') isWaiting = status === 'waiting'
  }
}

/** The other events of a stream are for programs. */
const noticeOf = (
  event: Exclude<StreamEvent, Snapshot | StampedEvent>,
  notice: (text: string) => void,
): void => {
  if (event.type === 'degraded') notice('The server cannot store events now.')
  else if (event.type === 'recovered') notice('The server can store events again.')
  else if (event.type === 'session_damaged')
    notice('A part of this session is damaged. It accepts no more messages.')
}
