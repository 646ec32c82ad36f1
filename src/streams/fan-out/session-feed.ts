import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import { createLiveTranscript, type LiveTranscript } from '../snapshots/live-transcript.ts'
import { createFanOut, type FanOut } from './fan-out.ts'

/** One session: its events for those who follow it, and its transcript for those who come. */
export interface SessionFeed {
  readonly sessionId: string
  readonly feed: FanOut
  readonly transcript: LiveTranscript
  /** Takes in an event that has become durable. */
  add(event: StampedEvent): void
  /** Tells what is new. True when a run has ended. */
  flush(): boolean
  /** Called at even intervals: how many of them nothing has happened, with nobody there. */
  tick(): number
}

export interface SessionFeedOptions {
  sessionId: string
  log: Log
  head: number
  ringBytes: number
  budgetBytes: number
  onError(cause: unknown): void
}

export const createSessionFeed = (options: SessionFeedOptions): SessionFeed => {
  const feed = createFanOut(options)
  const transcript = createLiveTranscript({ ...options, head: feed.head })
  let idle = 0
  let isRunOver = false

  return {
    sessionId: options.sessionId,
    feed,
    transcript,
    add(event) {
      idle = 0
      if (event.type === 'agent_end') isRunOver = true
      feed.add(event)
      transcript.add(event)
    },
    flush() {
      const wasRunOver = isRunOver
      isRunOver = false
      feed.flush()
      transcript.settle() // after the writing: readers do not wait for it
      return wasRunOver
    },
    tick() {
      idle = feed.isUsed() ? 0 : idle + 1
      return idle
    },
  }
}
