import type { AgentEvent } from '../events/event.ts'

interface Item {
  id: string
  text: string
}

/**
 * Messages that wait, for agents that do not hold or tell of them: steering ones have been sent and
 * are gone when the agent echoes them; follow-ups are sent when the run is over.
 */
export const createQueue = (emit: (event: AgentEvent) => void) => {
  let steering: Item[] = []
  let followUp: Item[] = []

  const tell = () =>
    emit({
      type: 'queue_update',
      queued: { steering: steering.map(textOf), followUp: followUp.map(textOf) },
    })

  return {
    steer(item: Item): void {
      steering.push(item)
      tell()
    },
    followUp(item: Item): void {
      followUp.push(item)
      tell()
    },
    /** The agent has taken it. */
    delivered(id: string): void {
      const left = steering.filter((item) => item.id !== id)
      if (left.length === steering.length) return
      steering = left
      tell()
    },
    /** The next follow-up, which is no longer in the queue. */
    next(): Item | undefined {
      const [first, ...rest] = followUp
      if (!first) return undefined
      followUp = rest
      tell()
      return first
    },
    size: () => steering.length + followUp.length,
  }
}
export type Queue = ReturnType<typeof createQueue>

const textOf = ({ text }: Item) => text
