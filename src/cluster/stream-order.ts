import { setTimeout as delay } from 'node:timers/promises'
import { catchErrors } from '../shared/catch-errors.ts'

/** Brings the messages of a stream into their order, and finds those that did not arrive. */
export interface StreamOrder<Message> {
  /** A message has arrived, with its number in the stream. */
  add(seq: number, bytes: number, message: Message): void
  /** Everything up to a number is known already. */
  start(head: number): void
  /** Compares with the last number of the stream, and fetches what has not arrived. */
  compare(head: number): Promise<void>
  /** How many messages had not arrived at the last comparison. */
  lag(): number
  close(): void
}

export interface StreamOrderOptions<Message> {
  deliver(message: Message): void
  /** Delivers the messages from one number to another in another way. */
  fetchMissed(from: number, to: number): Promise<void>
  onError(cause: unknown): void
}

/** How many bytes wait while missed messages are fetched. What is more is fetched, too. */
const maxWaitingBytes = 4 * 1024 * 1024
/** What is on its way when the stream is compared may take this long. */
const arrivalMs = 250
const retryMs = 250

export const createStreamOrder = <Message>({
  deliver,
  fetchMissed,
  onError,
}: StreamOrderOptions<Message>): StreamOrder<Message> => {
  /** The number of the next message; undefined until `start`. */
  let next: number | undefined
  /** Messages that arrived before others did, by number. */
  const waiting = new Map<number, Message>()
  let waitingBytes = 0
  /** The highest number that has arrived. */
  let highest = 0
  let filling: Promise<void> | undefined
  let behind = 0
  let isClosed = false

  const guarded = catchErrors(onError)
  const put = (seq: number, bytes: number, message: Message): void => {
    if (waitingBytes + bytes > maxWaitingBytes) return // fetched later
    waitingBytes += bytes
    waiting.set(seq, message)
  }
  /** Delivers what waits and is next. */
  const drain = (): void => {
    if (next === undefined) return
    for (let message = waiting.get(next); message !== undefined; message = waiting.get(next)) {
      waiting.delete(next)
      next += 1
      const found = message
      guarded(() => deliver(found))
    }
    for (const seq of waiting.keys()) if (seq < next) waiting.delete(seq)
    if (waiting.size === 0) waitingBytes = 0
  }

  /** Fetches what is missing up to a number. */
  const fill = async (): Promise<void> => {
    while (!isClosed && next !== undefined && next <= highest) {
      const to = Math.min(highest, lowest(waiting.keys()) - 1)
      try {
        if (to >= next) await fetchMissed(next, to)
        next = Math.max(next, to + 1)
        drain()
      } catch (cause) {
        onError(cause)
        await delay(retryMs)
      }
    }
  }
  const startFilling = (): Promise<void> => {
    filling ??= fill().finally(() => {
      filling = undefined
    })
    return filling
  }

  return {
    add(seq, bytes, message) {
      if (!Number.isSafeInteger(seq) || isClosed) return
      if (next !== undefined && seq < next) return
      highest = Math.max(highest, seq)
      if (seq === next && !filling) {
        next += 1
        guarded(() => deliver(message))
        return
      }
      put(seq, bytes, message)
      if (next !== undefined) void startFilling()
    },
    start(head) {
      next = head + 1
      drain()
      if (next <= highest) void startFilling()
    },
    async compare(head) {
      behind = Math.max(0, head + 1 - (next ?? head + 1))
      if (behind === 0) return
      await delay(arrivalMs)
      if (isClosed || next === undefined || head < next) return
      highest = Math.max(highest, head)
      await startFilling()
    },
    lag: () => behind,
    close() {
      isClosed = true
      waiting.clear()
    },
  }
}

const lowest = (numbers: Iterable<number>): number => {
  let found = Number.POSITIVE_INFINITY
  for (const each of numbers) found = Math.min(found, each)
  return found
}
