import type { Msg } from '@nats-io/transport-node'
import type { StampedEvent } from '../events/types.ts'
import type { JetStreamLog } from '../log/jetstream/jetstream-log.ts'
import type { NatsLink } from '../log/jetstream/nats-link.ts'
import { type PackedMessage, packedMessage, unpackTexts } from '../log/jetstream/packed-events.ts'
import { isUnreachable } from '../log/jetstream/patiently.ts'
import { idIn } from '../log/jetstream/subjects.ts'
import { LogFault } from '../log/log-fault.ts'
import { type CatchUp, createCatchUp } from './catch-up.ts'
import { createStreamOrder } from './stream-order.ts'

/** Where the events of other nodes go. */
export interface TailReaders {
  /** Whether somebody here reads a session, or is about to. */
  follows(sessionId: string): boolean
  /** The sessions that somebody reads. */
  followed(): string[]
  /** The seq of the last event that readers of a session have. Undefined when there are none. */
  headOf(sessionId: string): number | undefined
  /** Sends readers an event. Those of one session come in order, each once. */
  publish(event: StampedEvent): void
}

/** The events that other nodes append, for the readers of this one. */
export interface EventTail {
  /** How many messages of the stream this node has not seen yet, when it last compared. */
  lag(): number
  close(): Promise<void>
}

export interface EventTailOptions {
  /** A connection of its own: a slow reader must not hold up the appends. */
  link: NatsLink
  log: Pick<JetStreamLog, 'names' | 'isOwnMessage' | 'readText' | 'sessions'>
  readers: TailReaders
  onError(cause: unknown): void
  /** How often the tail is compared with the stream. Default: each second. */
  checkMs?: number | undefined
}

/** With more missed messages than this, the sessions that somebody reads are read from the log. */
const maxFetched = 256
/** How many missed messages are fetched at once. */
const fetchWidth = 16

/**
 * Follows the stream of events. Stored messages are sent again by the server (`republish`), with their
 * number in the stream. A number that is left out shows a message that did not arrive; it is read from
 * the stream. A message that did not arrive as the last one is found by comparing with the leader.
 */
export const openEventTail = async (options: EventTailOptions): Promise<EventTail> => {
  const { link, log, readers, onError, checkMs = 1000 } = options
  const { names } = log
  const catchUp = createCatchUp({ log, readers, onError })
  const headOfStream = async (): Promise<number> =>
    (await link.insist(() => link.manager.streams.info(names.eventStream))).state.last_seq

  const own = createOwnAppends({ readers, catchUp })
  const deliver = (sessionId: string, message: PackedMessage): void => {
    if (!readers.follows(sessionId)) return
    const last = message.first + message.count - 1
    if (log.isOwnMessage(message.id)) {
      own.note(sessionId, last)
      return
    }
    const head = readers.headOf(sessionId) ?? message.first - 1
    if (last <= head) return
    if (message.first > head + 1 || message.object !== undefined || catchUp.isRunning(sessionId)) {
      catchUp.run(sessionId, last)
      return
    }
    const { texts } = unpackTexts(message, message.body)
    for (const text of texts.slice(head + 1 - message.first)) readers.publish(JSON.parse(text))
  }

  const fetchStored = (seq: number) =>
    link.insist(() => link.manager.streams.getMessage(names.eventStream, { seq }))
  /** Delivers messages that did not arrive. */
  const fetchMissed = async (from: number, to: number): Promise<void> => {
    if (to - from >= maxFetched) {
      for (const id of readers.followed()) catchUp.run(id)
      return
    }
    for (let at = from; at <= to; at += fetchWidth) {
      const seqs = Array.from({ length: Math.min(fetchWidth, to - at + 1) }, (_, step) => at + step)
      for (const stored of await Promise.all(seqs.map(fetchStored)))
        if (stored) deliver(sessionIn(stored.subject), packedMessage(stored))
    }
  }

  const order = createStreamOrder<Msg>({
    fetchMissed,
    deliver(message) {
      const seq = streamSeqOf(message)
      deliver(sessionIn(message.subject), packedMessage({ ...partsOf(message), seq }))
    },
    onError(cause) {
      if (!isAway(cause)) onError(cause)
    },
  })
  const subscription = link.connection.subscribe(names.allLive, {
    callback: (error, message) => {
      if (error) onError(error)
      else order.add(streamSeqOf(message), message.data.length, message)
    },
  })
  await link.connection.flush()
  order.start(await headOfStream())

  const check = async (): Promise<void> => {
    try {
      if (!link.isConnected()) return
      own.check()
      await order.compare(await headOfStream())
    } catch (cause) {
      if (!isAway(cause)) onError(cause)
    }
  }
  let checking = Promise.resolve()
  const timer = setInterval(() => {
    checking = checking.then(check)
  }, checkMs)

  return {
    lag: order.lag,
    async close() {
      clearInterval(timer)
      subscription.unsubscribe()
      order.close()
    },
  }
}

/**
 * What this node has appended itself. Its readers get that when the append is confirmed, unless something
 * behind it failed. So what they do not have a whole check later is read from the log.
 */
const createOwnAppends = ({
  readers,
  catchUp,
}: {
  readers: Pick<TailReaders, 'headOf'>
  catchUp: Pick<CatchUp, 'run'>
}) => {
  /** The last event by session, since the last check and before it. */
  let latest = new Map<string, number>()
  let earlier = new Map<string, number>()
  return {
    note: (sessionId: string, last: number): void => void latest.set(sessionId, last),
    check(): void {
      for (const [sessionId, last] of earlier)
        if ((readers.headOf(sessionId) ?? last) < last) catchUp.run(sessionId, last)
      earlier = latest
      latest = new Map()
    },
  }
}

const streamSeqOf = ({ headers }: Msg): number => Number(headers?.get('Nats-Sequence'))

const partsOf = ({ data, headers }: Msg) => ({ data, headers })

/** Whether NATS does not answer, or has lost the stream. The status of the log says so. */
const isAway = (cause: unknown): boolean =>
  isUnreachable(cause) || (cause instanceof LogFault && cause.code === 'log_failed')

/** The session of a subject such as `sluice.default.live.<id>`. */
const sessionIn = (subject: string): string => idIn(subject.slice(subject.lastIndexOf('.') + 1))
