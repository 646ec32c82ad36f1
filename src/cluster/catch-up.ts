import { setTimeout as delay } from 'node:timers/promises'
import type { JetStreamLog } from '../log/jetstream/jetstream-log.ts'
import { isUnreachable } from '../log/jetstream/patiently.ts'
import type { TailReaders } from './event-tail.ts'

/** Reads the events of sessions from the log that did not arrive in another way. */
export interface CatchUp {
  /** Sends readers what the log has, at least up to an event. Does nothing while that goes on. */
  run(sessionId: string, upTo?: number): void
  isRunning(sessionId: string): boolean
}

export interface CatchUpOptions {
  log: Pick<JetStreamLog, 'readText' | 'sessions'>
  readers: Pick<TailReaders, 'headOf' | 'publish'>
  onError(cause: unknown): void
}

/** An event may not be readable yet at once; after so many tries, it was deleted. */
const maxTries = 5
const retryMs = 200

export const createCatchUp = ({ log, readers, onError }: CatchUpOptions): CatchUp => {
  /** The last event that is wanted, by session. */
  const wanted = new Map<string, number>()

  const readOnce = async (sessionId: string): Promise<void> => {
    const head = readers.headOf(sessionId)
    if (head === undefined) return
    for await (const { first, texts } of log.readText(sessionId, head))
      for (const [index, text] of texts.entries())
        if (first + index > (readers.headOf(sessionId) ?? Number.POSITIVE_INFINITY))
          readers.publish(JSON.parse(text))
  }

  const read = async (sessionId: string): Promise<void> => {
    try {
      for (let tries = 0; tries < maxTries; ) {
        const before = readers.headOf(sessionId)
        try {
          await readOnce(sessionId)
        } catch (cause) {
          if (!isUnreachable(cause)) throw cause
          continue // it waited for the cluster
        }
        const head = readers.headOf(sessionId)
        if (head === undefined || head >= (wanted.get(sessionId) ?? 0)) return
        tries = head === before ? tries + 1 : 0
        await delay(retryMs)
        if (!(await log.sessions.get(sessionId))) return
      }
    } finally {
      // In the same turn: what is wanted a moment later starts another read.
      wanted.delete(sessionId)
    }
  }

  return {
    run(sessionId, upTo = 0) {
      const isRunning = wanted.has(sessionId)
      wanted.set(sessionId, Math.max(wanted.get(sessionId) ?? 0, upTo))
      if (!isRunning) read(sessionId).catch(onError)
    },
    isRunning: (sessionId) => wanted.has(sessionId),
  }
}
