import { randomUUID } from 'node:crypto'
import type { PromptImage } from '../../agents/live.ts'
import type { AgentEvent, Queued } from '../../events/types.ts'
import type { CommandResult } from './command-result.ts'

/** A message for the agent. */
export interface QueuedMessage {
  id: string
  text: string
  images?: PromptImage[]
}

export const messageOf = (text: string, images: PromptImage[] | undefined): QueuedMessage => ({
  id: randomUUID(),
  text,
  ...(images && { images }),
})

/** So many messages may wait, with those that the agent holds. */
const most = 100

/** What becomes of one more. */
export const queueFull: CommandResult = {
  outcome: 'refused',
  error: `${most} messages wait already.`,
}

/**
 * Messages that wait, for agents that do not hold or tell of them: steering ones have been sent and
 * are gone when the agent echoes them; follow-ups are sent when the run is over.
 */
export const createQueue = (emit: (event: AgentEvent) => void) => {
  let steering: QueuedMessage[] = []
  let followUp: QueuedMessage[] = []
  /** What an agent that holds its queue itself has told of it. */
  let held = 0

  const tell = () =>
    emit({
      type: 'queue_update',
      queued: { steering: steering.map(textOf), followUp: followUp.map(textOf) },
    })

  const sizeOfAll = () => held + steering.length + followUp.length

  return {
    steer(item: QueuedMessage): void {
      steering.push(item)
      tell()
    },
    followUp(item: QueuedMessage): void {
      followUp.push(item)
      tell()
    },
    /** The agent has taken it. */
    delivered(id: string): void {
      const before = sizeOfAll()
      steering = steering.filter((item) => item.id !== id)
      followUp = followUp.filter((item) => item.id !== id)
      if (sizeOfAll() < before) tell()
    },
    /** Those that were sent and have not been taken. */
    sent: (): string[] => steering.map(({ id }) => id),
    /** The run was stopped before the agent took them: they wait here, in front of the others. */
    takeBack(): void {
      if (steering.length === 0) return
      followUp = [...steering, ...followUp]
      steering = []
      tell()
    },
    /** The next follow-up, which is no longer in the queue. */
    next(): QueuedMessage | undefined {
      const [first, ...rest] = followUp
      if (!first) return undefined
      followUp = rest
      tell()
      return first
    },
    /** The agent holds these. */
    heldByAgent(queued: Queued): void {
      held = queueSize(queued)
    },
    /** Says again what waits here, if something does. */
    tellAgain(): void {
      if (steering.length + followUp.length > 0) tell()
    },
    /** The agent is gone, with what it held or had been sent; gives how many those were. */
    lost(): number {
      const count = held + steering.length
      held = 0
      steering = []
      if (count > 0) tell()
      return count
    },
    /** The session goes too, with all that waits; gives how many those were. */
    lostAll(): number {
      const count = sizeOfAll()
      held = 0
      steering = []
      followUp = []
      if (count > 0) tell()
      return count
    },
    isFull: () => sizeOfAll() >= most,
    size: () => steering.length + followUp.length,
    /** With those that the agent holds. */
    sizeOfAll,
  }
}
export type Queue = ReturnType<typeof createQueue>

/** How many messages wait. */
export const queueSize = ({ steering, followUp }: Queued): number =>
  steering.length + followUp.length

const textOf = ({ text }: QueuedMessage) => text
