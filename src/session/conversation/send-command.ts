import type { Command } from '../../agents/live.ts'
import { LogFault } from '../../log/log-fault.ts'
import { Fault } from '../../shared/fault.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'
import { reasonOf } from '../../shared/reason.ts'
import type { ConversationState } from './conversation-state.ts'
import type { Driver } from './driver.ts'
import { showUnconfirmed } from './intake.ts'
import type { Lifecycle } from './lifecycle.ts'
import { newConversationNotice, notSentNotice, restartNotice } from './notices.ts'
import type { QueuedMessage } from './receipts.ts'
import type { CommandResult } from './session.ts'

/**
 * Sends a command to the agent, whose process is started if needed. The command is not sent before
 * `stored` resolves, and fails if that rejects.
 */
export type SendCommand = (command: Command, stored?: Promise<void>) => Promise<CommandResult>

/** Sends commands, and sends them again where a process died before it accepted them. */
export const createCommandSender = (
  state: ConversationState,
  lifecycle: Lifecycle,
): SendCommand => {
  const { activity, resumption, queue, receipts, emit } = state

  const send: SendCommand = async (wanted, stored) => {
    if (wanted.type === 'prompt') activity.promptSent()
    stored?.catch(() => {}) // awaited below, but perhaps not if the process cannot be started
    let command = wanted
    try {
      const driver = await lifecycle.ensureProcess()
      await stored
      // The run that the message was for may have ended meanwhile.
      if (wanted.type === 'steer' && !activity.isBusy()) command = { ...wanted, type: 'prompt' }
      // Another process may have ended meanwhile, which reset the activity.
      if (command.type === 'prompt') {
        activity.promptSent()
        state.authors.promptSent(receipts.authorOf(command.id))
      }
      const result = await driver.send(command)
      if (result.outcome === 'gone') return await recover(command)
      if (result.outcome !== 'accepted') notAccepted(command)
      else if (command.type === 'prompt') void promptAccepted(driver, command)
      return result
    } catch (cause) {
      notAccepted(command)
      return failedResult(cause)
    }
  }

  /** A prompt that the agent did not accept starts no run. */
  const notAccepted = ({ type }: Command): void => {
    if (type === 'prompt' && !activity.isRunning()) activity.runEnded()
  }

  const promptAccepted = async (driver: Driver, prompt: Command): Promise<void> => {
    if (state.driver === driver) state.lastPrompt = prompt
    if (await startsRun(driver, activity.whenStarted(), state.deps.runStartMs)) return
    receipts.startedNoRun(prompt.id)
    activity.runEnded()
    sendNext()
  }

  const sendNext = (): void => {
    // A process that is being ended would lose the message.
    const isWaiting = state.isStopping || state.deps.isWorkRefused?.() === true
    const next = isWaiting ? undefined : queue.next()
    if (next) void sendQueued(next)
  }

  /** Sends a queued message, whose sender has left. If it is not accepted, the events show that. */
  const sendQueued = async (message: QueuedMessage): Promise<void> => {
    const result = await send({ type: 'prompt', ...message }, receipts.sending(message.id))
    if (result.outcome === 'failed') return putBack(state, message, result.error)
    receipts.answered(message.id)
    if (result.outcome !== 'accepted' && result.outcome !== 'unanswered') showUnconfirmed(state)
  }

  /** The process died before it accepted the command. */
  const recover = async (command: Command): Promise<CommandResult> => {
    switch (resumption.recoveryStep()) {
      case 'new_conversation':
        return startOver(command)
      case 'restart':
        emit(restartNotice)
        return send(command)
      case 'fail':
        notAccepted(command)
        return { outcome: 'failed', code: 'agent_not_started', error: resumption.lastError() }
      default:
        notAccepted(command)
        return { outcome: 'gone' }
    }
  }

  /** Agents store a conversation with its first answer: one that died earlier has no record. */
  const startOver = (command: Command): Promise<CommandResult> => {
    resumption.forget()
    emit(newConversationNotice)
    return send(command)
  }

  state.onRunEnd = sendNext
  state.onProcessEnd = () => {
    // An agent may accept a prompt first, and then find that it does not have the conversation.
    if (state.lastPrompt && resumption.isConversationUnknown()) void startOver(state.lastPrompt)
  }
  return send
}

/** Puts a message back into the queue, because it could not be sent. */
const putBack = (
  { receipts, queue, emit }: ConversationState,
  message: QueuedMessage,
  error: string,
): void => {
  receipts.requeued([message.id])
  queue.putBack(message)
  emit(notSentNotice(error))
}

/** The result of a command that did not reach the agent. */
export const failedResult = (cause: unknown): CommandResult => ({
  outcome: 'failed',
  error: reasonOf(cause),
  ...((cause instanceof Fault || cause instanceof LogFault) && { code: cause.code }),
})

const defaultRunStartMs = 1000
/** How often the wait is doubled: with a first wait of one second, it ends after two minutes. */
const doublings = 6

/**
 * Whether a prompt that the agent has accepted starts a run. Not every prompt does: a command of an
 * extension may work without the model. Then the agent reports that it is idle, or nothing happens
 * for a long time.
 */
const startsRun = async (
  driver: Driver,
  started: Promise<void>,
  firstMs = defaultRunStartMs,
): Promise<boolean> => {
  for (let doubled = 0; doubled <= doublings; doubled += 1) {
    if (await finishesWithin(started, firstMs * 2 ** doubled)) return true
    const activity = await Promise.race([driver.activity(), started.then(() => 'started' as const)])
    if (activity === 'started') return true
    if (activity === 'idle') return false
  }
  return false
}
