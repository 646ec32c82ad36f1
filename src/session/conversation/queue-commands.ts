import { textWithFiles } from '../../agents/attached-files.ts'
import type { ConversationState } from './conversation-state.ts'
import { newMessage } from './queue.ts'
import { failedResult, type SendCommand } from './send-command.ts'
import type { CommandResult, SenderOptions, Session } from './session.ts'
import type { SessionAction } from './session-deps.ts'

type QueueCommands = Pick<Session, 'queuedMessages' | 'editQueued' | 'removeQueued' | 'sendQueued'>

const accepted: CommandResult = { outcome: 'accepted' }

/** The commands that change the queue: edit, remove and send a message that waits. */
export const queueCommands = (state: ConversationState, send: SendCommand): QueueCommands => {
  const { activity, queue, receipts, deps } = state

  const audit = (action: SessionAction['action'], detail: string, { by }: SenderOptions): void =>
    deps.onAction?.({ action, by, detail })

  const find = (id: string) => queue.items().find((item) => item.id === id)

  /** Why a message is not one that waits. */
  const notWaiting = (id: string): CommandResult => (find(id) ? alreadySent : notQueued)

  /** Sends a message that was taken out of the queue into the run. */
  const steer = async (id: string): Promise<CommandResult> => {
    const message = queue.remove(id)
    if (!message) return notQueued
    const stored = receipts.sending(id, 'steer').then(() => {
      if (deps.agent.live?.queue === 'session') queue.steer(message)
      else queue.expectHeld(message)
    })
    const result = await send({ type: 'steer', ...message }, stored)
    if (result.outcome === 'accepted' || result.outcome === 'unanswered') receipts.answered(id)
    else {
      queue.remove(id)
      receipts.requeued([id])
      queue.putBack(message)
    }
    return result
  }

  return {
    queuedMessages: async () => queue.items(),
    async editQueued(id, text, options = {}) {
      if (!queue.isWaiting(id)) return notWaiting(id)
      try {
        // The log stores the text before the event that shows it.
        const stored = receipts.edited(id, text)
        queue.edit(id, text)
        await stored
      } catch (cause) {
        return failedResult(cause)
      }
      audit('message_edited', text, options)
      return accepted
    },
    async removeQueued(id, options = {}) {
      const item = find(id)
      if (!item) return notQueued
      if (item.state === 'sent' && !(await withdraw(state, id, item.text))) return alreadySent
      try {
        const stored = receipts.removed(id)
        queue.remove(id)
        await stored
      } catch (cause) {
        return failedResult(cause)
      }
      audit('message_removed', item.text, options)
      return accepted
    },
    async sendQueued(id, options = {}) {
      const item = find(id)
      if (!queue.isWaiting(id) || !item) return notWaiting(id)
      if (activity.isBusy()) {
        const result = await steer(id)
        if (result.outcome === 'accepted') audit('message_sent', item.text, options)
        return result
      }
      audit('message_sent', item.text, options)
      queue.moveToFront(id)
      state.onRunEnd()
      return accepted
    },
  }
}

/** Takes back a message that the agent has. Others that come back with it are sent again. */
const withdraw = async (
  { driver, queue }: ConversationState,
  id: string,
  text: string,
): Promise<boolean> => {
  if (!driver) return false
  const held = queue.held()
  const wanted = held.find((each) => each.id === id)
  const heldText = wanted ? textWithFiles(wanted) : text
  const { isWithdrawn, others } = await driver.withdraw({ id, text: heldText })
  for (const other of others) {
    const message = held.find((each) => textWithFiles(each) === other) ?? newMessage(other)
    queue.expectHeld(message)
    void driver.send({ type: 'steer', ...message })
  }
  return isWithdrawn
}

const notQueued: CommandResult = {
  outcome: 'not_queued',
  error: 'The message is not in the queue any more. It was sent or removed.',
}

const alreadySent: CommandResult = {
  outcome: 'already_sent',
  error: 'The agent already has this message and does not give it back.',
}
