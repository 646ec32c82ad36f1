import type { Msg } from '@nats-io/transport-node'
import type { StampedEvent } from '../events/types.ts'
import type { JetStreamLog } from '../log/jetstream/jetstream-log.ts'
import type { NatsLink } from '../log/jetstream/nats-link.ts'
import { type PackedMessage, packedMessage, unpackTexts } from '../log/jetstream/packed-events.ts'
import { idIn } from '../log/jetstream/subjects.ts'
import { LogFault, type LogFaultCode } from '../log/log-fault.ts'
import { rarely } from '../shared/rarely.ts'
import { type CatchUp, createCatchUp } from './catch-up.ts'
import { createStreamOrder, type StreamOrder } from './stream-order.ts'

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
  const { link, log, readers, checkMs = 1000 } = options
  const onError = unlessAway(options.onError)
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

  const order = createTailOrder(() =>
    createStreamOrder<Msg>({
      fetchMissed,
      deliver(message) {
        const seq = streamSeqOf(message)
        deliver(sessionIn(message.subject), packedMessage({ ...partsOf(message), seq }))
      },
      onError,
    }),
  )
  const subscription = link.connection.subscribe(names.allLive, {
    callback(error, message) {
      if (error) onError(error)
      else order.add(message)
    },
  })
  await link.connection.flush()
  order.start(await headOfStream())

  const check = async (): Promise<void> => {
    if (!link.isConnected()) return
    own.check()
    if (await order.compare(headOfStream)) return
    for (const id of readers.followed()) catchUp.run(id)
  }
  const stopChecking = repeat(check, checkMs, onError)

  return {
    lag: order.lag,
    async close() {
      stopChecking()
      subscription.unsubscribe()
      order.close()
    },
  }
}

/** Repeats a check, one at a time. Returns how to end that: then it reports nothing more. */
const repeat = (
  check: () => Promise<void>,
  everyMs: number,
  onError: (cause: unknown) => void,
): (() => void) => {
  let isOver = false
  let isChecking = false
  const run = async (): Promise<void> => {
    if (isChecking) return
    isChecking = true
    try {
      await check()
    } catch (cause) {
      if (!isOver) onError(cause)
    } finally {
      isChecking = false
    }
  }
  const timer = setInterval(() => void run(), everyMs)
  return () => {
    isOver = true
    clearInterval(timer)
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

/** The order of a stream that can lose its last messages: in a power cut, or from an older backup. */
const createTailOrder = (open: () => StreamOrder<Msg>) => {
  let order = open()
  /** The highest number that has arrived, or was there before. */
  let reached = 0
  const start = (head: number): void => {
    reached = head
    order.start(head)
  }
  return {
    start,
    add(message: Msg): void {
      const seq = streamSeqOf(message)
      if (seq > reached) reached = seq
      order.add(seq, message.data.length, message)
    },
    /**
     * Fetches what has not arrived. Returns false when the stream ends before what has arrived: it gives
     * those numbers a second time, so what arrives from now on is in order again.
     */
    async compare(headOfStream: () => Promise<number>): Promise<boolean> {
      const before = reached
      const head = await headOfStream()
      if (head >= before) {
        await order.compare(head)
        return true
      }
      order.close()
      order = open()
      start(head)
      return false
    },
    lag: () => order.lag(),
    close: () => order.close(),
  }
}

const streamSeqOf = ({ headers }: Msg): number => Number(headers?.get('Nats-Sequence'))

const partsOf = ({ data, headers }: Msg) => ({ data, headers })

/** Errors that say what the status of the log says, too. */
const knownCodes: ReadonlySet<LogFaultCode> = new Set(['unreachable', 'log_failed', 'closed'])

/**
 * Reports no error that says that NATS is away, or has lost the stream. Messages that are no events are
 * reported rarely: other programs may have published many.
 */
const unlessAway = (onError: (cause: unknown) => void): ((cause: unknown) => void) => {
  const reportDamaged = rarely(onError)
  return (cause) => {
    const code = cause instanceof LogFault ? cause.code : undefined
    if (code === 'damaged') reportDamaged(cause)
    else if (!code || !knownCodes.has(code)) onError(cause)
  }
}

/** The session of a subject such as `sluice.default.live.<id>`. */
const sessionIn = (subject: string): string => idIn(subject.slice(subject.lastIndexOf('.') + 1))
