import type { AgentEvent } from '../../../events/types.ts'
import type { PromptImage } from '../../live.ts'

/** A message of the person to the demo. */
export interface InputMessage {
  text: string
  images: readonly PromptImage[]
}

export type QueueKind = 'steering' | 'followUp'

/** Messages that wait for the run. Every change emits a `queue_update`. */
export interface MessageQueue {
  add(kind: QueueKind, message: InputMessage): void
  /** Removes and returns the next message of a kind. */
  next(kind: QueueKind): InputMessage | undefined
}

export const createMessageQueue = (emit: (event: AgentEvent) => void): MessageQueue => {
  const lists: Record<QueueKind, InputMessage[]> = { steering: [], followUp: [] }
  const textsOf = (kind: QueueKind) => lists[kind].map(({ text }) => text)

  const emitUpdate = () =>
    emit({
      type: 'queue_update',
      queued: { steering: textsOf('steering'), followUp: textsOf('followUp') },
    })

  return {
    add(kind, message) {
      lists[kind].push(message)
      emitUpdate()
    },
    next(kind) {
      const message = lists[kind].shift()
      if (message) emitUpdate()
      return message
    },
  }
}
