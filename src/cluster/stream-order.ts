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
  const waiting = createEarlyMessages<Message>()
  /** The highest number that has arrived. */
  let highest = 0
  let isFilling = false
  let filled = Promise.resolve()
  let behind = 0
  let isClosed = false

  const guarded = catchErrors(onError)
  /** Delivers what waits and is next. */
  const drain = (): void => {
    if (next === undefined) return
    for (let found = waiting.take(next); found; found = waiting.take(next)) {
      const { message } = found
      next += 1
      guarded(() => deliver(message))
    }
    waiting.dropBefore(next)
  }

  /** Fetches what is missing up to a number. */
  const fill = async (): Promise<void> => {
    isFilling = true
    while (!isClosed && next !== undefined && next <= highest) {
      const to = Math.min(highest, waiting.lowest() - 1)
      try {
        if (to >= next) await fetchMissed(next, to)
        next = Math.max(next, to + 1)
        drain()
      } catch (cause) {
        onError(cause)
        await delay(retryMs)
      }
    }
    // In the same turn: a message that arrives a moment later is delivered, or starts another fill.
    isFilling = false
  }
  const startFilling = (): Promise<void> => {
    if (!isFilling) filled = fill()
    return filled
  }

  return {
    add(seq, bytes, message) {
      if (!Number.isSafeInteger(seq) || isClosed || seq < (next ?? 0)) return
      highest = Math.max(highest, seq)
      if (seq === next && !isFilling) {
        next += 1
        guarded(() => deliver(message))
        return
      }
      waiting.put(seq, bytes, message)
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

/** Messages that arrived before others did, by number, as many as there is room for. */
const createEarlyMessages = <Message>() => {
  const messages = new Map<number, { message: Message; bytes: number }>()
  let stored = 0
  const take = (seq: number): { message: Message } | undefined => {
    const entry = messages.get(seq)
    if (messages.delete(seq)) stored -= entry?.bytes ?? 0
    return entry
  }
  return {
    take,
    /** What does not fit is fetched later. */
    put(seq: number, bytes: number, message: Message): void {
      if (messages.has(seq) || stored + bytes > maxWaitingBytes) return
      stored += bytes
      messages.set(seq, { message, bytes })
    },
    dropBefore(seq: number): void {
      for (const each of messages.keys()) if (each < seq) take(each)
    },
    /** The lowest number; infinite if there is none. */
    lowest(): number {
      let low = Number.POSITIVE_INFINITY
      for (const seq of messages.keys()) low = Math.min(low, seq)
      return low
    },
    clear: (): void => messages.clear(),
  }
}
