import type { StampedEvent } from '../../events/types.ts'
import type { Screen } from './screen.ts'

/** Prints events, except while a question is on the screen: nothing may push it out of sight. */
export interface EventPrinter {
  /** Prints an event, or holds it back. */
  push(event: StampedEvent): void
  /** Prints what was held back. */
  release(): void
}

/** A question may wait for hours; the log has every event. */
const limit = 5000

export const createEventPrinter = (
  screen: Screen,
  isQuestionOpen: () => boolean,
  onPrinted: (event: StampedEvent) => void,
): EventPrinter => {
  let held: StampedEvent[] = []
  let leftOut = 0

  const print = (event: StampedEvent): void => {
    screen.event(event)
    onPrinted(event)
  }

  return {
    push(event) {
      if (!isQuestionOpen()) return print(event)
      held.push(event)
      if (held.length <= 2 * limit) return
      leftOut += held.length - limit
      held = held.slice(-limit)
    },
    release() {
      const events = held
      if (leftOut > 0) screen.notice(`${leftOut} events are not shown. The log has them.`)
      held = []
      leftOut = 0
      for (const event of events) print(event)
    },
  }
}
