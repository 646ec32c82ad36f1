import type { Transcript } from '../../../src/transcript/index.ts'
import { createStore, type Store } from '../lib/store.ts'
import type { EventLog } from './event-log.ts'
import { createTimeline, type Timeline } from './timeline.ts'

export const speeds = [1, 2, 5, 10, 20] as const
export type Speed = (typeof speeds)[number]

/** Where a replay is. Without a transcript, the screen shows the live session. */
export interface ReplayState {
  readonly isOpen: boolean
  readonly transcript?: Transcript
  /** How many events the transcript contains. */
  readonly position: number
  /** How many events there are. */
  readonly length: number
  /** The time of the last event in the transcript, in ms since 1970. */
  readonly at?: number
  readonly isPlaying: boolean
  readonly speed: Speed
}

const closed: ReplayState = { isOpen: false, position: 0, length: 0, isPlaying: false, speed: 1 }

/** Shows a session as it was at any moment, and plays it from there. */
export interface Replay extends Store<ReplayState> {
  /** Opens the replay at its end, or right before an event. */
  open(beforeSeq?: number): Promise<void>
  seek(position: number): void
  play(): void
  pause(): void
  setSpeed(speed: Speed): void
  /** Returns to the live session. */
  close(): void
}

export const createReplay = (log: EventLog): Replay => {
  const store = createStore(closed)
  let timeline: Timeline | undefined
  let frame = 0
  let playTime = 0

  const show = (wanted: number) => {
    if (!timeline) return
    const position = Math.min(Math.max(0, Math.round(wanted)), timeline.length)
    const at = timeline.timeAt(position)
    const transcript = timeline.at(position)
    const { isPlaying, speed } = store.get()
    store.set({
      isOpen: true,
      transcript,
      position,
      length: timeline.length,
      ...(at !== undefined && { at }),
      isPlaying,
      speed,
    })
  }

  const pause = () => {
    cancelAnimationFrame(frame)
    store.update((state) => ({ ...state, isPlaying: false }))
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
    async open(beforeSeq) {
      store.update((state) => ({ ...state, isOpen: true }))
      await log.load()
      const { events } = log.get()
      // Without events the live session stays, and the replay controls say why.
      if (!store.get().isOpen || events.length === 0) return
      timeline = createTimeline(events)
      show(beforeSeq === undefined ? timeline.length : beforeSeq - 1)
    },
    seek(position) {
      pause()
      show(position)
    },
    play() {
      if (!timeline) return
      if (store.get().position >= timeline.length) show(0)
      playTime = timeline.playTimeAt(store.get().position)
      store.update((state) => ({ ...state, isPlaying: true }))
      frame = requestAnimationFrame(step(performance.now()))
    },
    pause,
    setSpeed: (speed) => store.update((state) => ({ ...state, speed })),
    close() {
      cancelAnimationFrame(frame)
      timeline = undefined
      store.set(closed)
    },
  }
}
