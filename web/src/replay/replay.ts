import type { Transcript } from '../../../src/transcript/index.ts'
import { createStore, type Store } from '../lib/store.ts'
import type { EventLog } from './event-log.ts'
import { createTimeline, type Timeline } from './timeline.ts'

export const speeds = [1, 2, 5, 10, 20] as const
export type Speed = (typeof speeds)[number]

/** A look at a session’s past. Without a transcript, the page shows the present. */
export interface ReplayState {
  readonly isOpen: boolean
  readonly transcript?: Transcript
  /** How many events have come, of how many. */
  readonly position: number
  readonly length: number
  readonly at?: number
  readonly isPlaying: boolean
  readonly speed: Speed
}

const present: ReplayState = { isOpen: false, position: 0, length: 0, isPlaying: false, speed: 1 }

/** Goes back and forth in a session’s events. */
export interface Replay extends Store<ReplayState> {
  /** Shows the past: from its end, or from just before an event. */
  open(before?: number): Promise<void>
  seek(position: number): void
  play(): void
  pause(): void
  setSpeed(speed: Speed): void
  /** Back to the present. */
  close(): void
}

export const createReplay = (log: EventLog): Replay => {
  const store = createStore(present)
  let timeline: Timeline | undefined
  let frame = 0
  let playTime = 0

  const show = (position: number) => {
    if (!timeline) return
    const place = Math.min(Math.max(0, Math.round(position)), timeline.length)
    const at = timeline.timeAt(place)
    const transcript = timeline.at(place)
    const { isPlaying, speed } = store.get()
    store.set({
      isOpen: true,
      transcript,
      position: place,
      length: timeline.length,
      ...(at !== undefined && { at }),
      isPlaying,
      speed,
    })
  }

  const pause = () => {
    cancelAnimationFrame(frame)
    store.update((before) => ({ ...before, isPlaying: false }))
  }

  const step = (last: number) => (now: number) => {
    if (!timeline) return
    playTime += (now - last) * store.get().speed
    const position = timeline.positionAt(playTime)
    if (position !== store.get().position) show(position)
    if (position >= timeline.length) return pause()
    frame = requestAnimationFrame(step(now))
  }

  return {
    ...store,
    async open(before) {
      store.update((before) => ({ ...before, isOpen: true }))
      await log.load()
      const { events } = log.get()
      // Without any, the present stays, and whoever steers is told why.
      if (!store.get().isOpen || events.length === 0) return
      timeline = createTimeline(events)
      show(before === undefined ? timeline.length : before - 1)
    },
    seek(position) {
      pause()
      show(position)
    },
    play() {
      if (!timeline) return
      if (store.get().position >= timeline.length) show(0)
      playTime = timeline.playTimeAt(store.get().position)
      store.update((before) => ({ ...before, isPlaying: true }))
      frame = requestAnimationFrame(step(performance.now()))
    },
    pause,
    setSpeed: (speed) => store.update((before) => ({ ...before, speed })),
    close() {
      cancelAnimationFrame(frame)
      timeline = undefined
      store.set(present)
    },
  }
}
