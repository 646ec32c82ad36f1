import type { CommandReply } from '../../agents/live.ts'
import type { Backpressure } from './backpressure.ts'
import type { SendResult } from './driver.ts'

/** What became of a command, with the data of the agent’s reply. */
export type Reply = SendResult & { data?: unknown }

/** The replies that are awaited. */
export interface Replies {
  /** Resolves with the reply to a command: `unanswered` if it does not come in time. */
  replyTo(id: string, ms?: number): Promise<Reply>
  accept(reply: CommandReply): void
  /** The process has ended: no more replies come. */
  close(): void
  isClosed(): boolean
}

export const createReplies = (replyMs: number, inTime: Backpressure['finishesWithin']): Replies => {
  const waiting = new Map<string, (reply: Reply) => void>()
  let isClosed = false

  return {
    replyTo(id, ms = replyMs) {
      const { promise, resolve } = Promise.withResolvers<Reply>()
      waiting.set(id, resolve)
      void inTime(promise, ms).then((isInTime) => {
        if (!isInTime) resolve({ outcome: 'unanswered' })
      })
      return promise.finally(() => waiting.delete(id))
    },
    accept({ id, ok, error = 'The agent refused the command.', data }) {
      waiting.get(id)?.(ok ? { outcome: 'accepted', data } : { outcome: 'refused', error })
    },
    close() {
      isClosed = true
      for (const resolve of waiting.values()) resolve({ outcome: 'gone' })
    },
    isClosed: () => isClosed,
  }
}
