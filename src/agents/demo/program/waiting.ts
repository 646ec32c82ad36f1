import type { AgentEvent } from '../../../events/types.ts'
import type { PromptImage } from '../../live.ts'

/** Something that a person said to the demo. */
export interface Said {
  text: string
  images: readonly PromptImage[]
}

/** Messages that wait for their turn; every change is told. */
export const createWaiting = (tell: (event: AgentEvent) => void) => {
  const lists: Record<'steering' | 'followUp', Said[]> = { steering: [], followUp: [] }

  const change = () =>
    tell({
      type: 'queue_update',
      queued: { steering: lists.steering.map(textOf), followUp: lists.followUp.map(textOf) },
    })

  return {
    add(kind: keyof typeof lists, said: Said): void {
      lists[kind].push(said)
      change()
    },
    /** The next one, which no longer waits. */
    next(kind: keyof typeof lists): Said | undefined {
      const said = lists[kind].shift()
      if (said) change()
      return said
    },
  }
}
export type Waiting = ReturnType<typeof createWaiting>

const textOf = ({ text }: Said) => text
