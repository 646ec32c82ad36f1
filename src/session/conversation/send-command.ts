import type { Command } from '../../agents/live.ts'
import type { DeliveryFailure } from '../../events/types.ts'
import { LogFault } from '../../log/log-fault.ts'
import { Fault } from '../../shared/fault.ts'
import { reasonOf } from '../../shared/reason.ts'
import type { ConversationState } from './conversation-state.ts'
import type { Driver, SendResult } from './driver.ts'
import type { Lifecycle } from './lifecycle.ts'
import { newConversationNotice, notSentNotice, restartNotice } from './notices.ts'
import { endRunIfNoneStarts, watchSilence } from './prompt-watch.ts'
import type { QueuedMessage } from './receipts.ts'
import { endUnstartedRun, openRun } from './run.ts'
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
    if (wanted.type === 'prompt') {
      activity.promptSent()
      const admission = state.budget.admission()
      const verdict = admission === 'free' ? admission : await admission
      if (verdict === 'ask') return askFirst(state, wanted, stored, () => sendNow(wanted, stored))
      if (verdict !== 'free') return refuse(wanted, verdict)
    }
    return sendNow(wanted, stored)
  }

  /** Nothing of a refused prompt is shown, and its sender learns the reason. */
  const refuse = (command: Command, fault: Fault): CommandResult => {
    notAccepted(state, command, notAllowed)
    return failedResult(fault)
  }

  const sendNow: SendCommand = async (wanted, stored) => {
    stored?.catch(() => {}) // awaited below, but perhaps not if the process cannot be started
    let command = wanted
    try {
      const driver = await lifecycle.ensureProcess()
      await stored
      // The run that the message was for may have ended meanwhile.
      if (wanted.type === 'steer' && !activity.isBusy()) command = { ...wanted, type: 'prompt' }
      const result = await (command.type === 'prompt'
        ? sendPrompt(state, lifecycle, driver, command)
        : driver.send(command))
      if (result.outcome === 'gone') return await recover(command)
      if (result.outcome === 'refused' || result.outcome === 'unsupported')
        notAccepted(state, command, refusalOf(result, state.deps.agent.title))
      return result
    } catch (cause) {
      notAccepted(state, command, { code: 'command_failed', message: reasonOf(cause) })
      return failedResult(cause)
    }
  }

  const sendNext = (): void => {
    // A process that is being ended would lose the message.
    state.isSendingPutOff = state.deps.isWorkRefused?.() === true
    const next = state.isStopping || state.isSendingPutOff ? undefined : queue.next()
    if (next) void sendQueued(next)
  }

  /** Sends a queued message, whose sender has left. If it is not accepted, the events show that. */
  const sendQueued = async (message: QueuedMessage): Promise<void> => {
    const result = await send({ type: 'prompt', ...message }, receipts.sending(message.id))
    if (result.outcome === 'failed' && !state.deliveries.isShown(message.id))
      return putBack(state, message, result.error)
    receipts.answered(message.id)
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
        notAccepted(state, command, exitFailure(state))
        return { outcome: 'failed', code: 'agent_not_started', error: resumption.lastError() }
      default:
        notAccepted(state, command, exitFailure(state))
        return { outcome: 'gone', error: exitFailure(state).message }
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

/** Opens the run of a prompt, writes the prompt, and watches what the agent does with it. */
const sendPrompt = async (
  state: ConversationState,
  lifecycle: Lifecycle,
  driver: Driver,
  prompt: Command,
): Promise<SendResult> => {
  // Another process may have ended meanwhile, which reset the activity.
  state.activity.promptSent()
  openRun(state, prompt.id)
  state.silence = 'silent'
  state.isSendingPrompt = true
  // From here on: an agent that confirms its commands is silent from the first one.
  void watchSilence(state, lifecycle)
  const result = await driver.send(prompt).finally(() => {
    state.isSendingPrompt = false
  })
  if (result.outcome !== 'accepted' && result.outcome !== 'unanswered') return result
  if (state.driver !== driver) return { outcome: 'gone' }
  state.lastPrompt = prompt
  void endRunIfNoneStarts(state, driver)
  return result
}

/**
 * Shows a prompt, and asks a person whether its run may start, because a limit is reached. The sender of
 * the prompt does not wait for the answer.
 */
const askFirst = async (
  state: ConversationState,
  prompt: Command,
  stored: Promise<void> | undefined,
  sendNow: () => Promise<CommandResult>,
): Promise<CommandResult> => {
  try {
    await stored
  } catch (cause) {
    notAccepted(state, prompt, { code: 'command_failed', message: reasonOf(cause) })
    return failedResult(cause)
  }
  openRun(state, prompt.id)
  const startIfAllowed = async (): Promise<void> => {
    if (await state.budget.ask()) await sendNow()
    else notAccepted(state, prompt, notAllowed)
  }
  startIfAllowed().catch(state.deps.onError)
  return { outcome: 'accepted' }
}

const notAllowed: DeliveryFailure = {
  code: 'budget_exceeded',
  message: 'The run was not started, because a limit is reached.',
}

/** A prompt that the agent did not accept starts no run. */
const notAccepted = (
  state: ConversationState,
  { type }: Command,
  failure: DeliveryFailure,
): void => {
  const { activity } = state
  if (type !== 'prompt' || activity.hasStarted()) return
  if (activity.isRunning()) endUnstartedRun(state, failure)
  else activity.runEnded()
}

const exitFailure = ({ resumption, deps }: ConversationState): DeliveryFailure => ({
  code: 'agent_exit',
  message: resumption.lastError() || `${deps.agent.title} was stopped.`,
})

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
export const failedResult = (cause: unknown): Extract<CommandResult, { outcome: 'failed' }> => ({
  outcome: 'failed',
  error: reasonOf(cause),
  ...((cause instanceof Fault || cause instanceof LogFault) && { code: cause.code }),
})

/** What the agent said about a command that it did not accept. */
const refusalOf = (result: SendResult, title: string): DeliveryFailure => ({
  code: 'command_failed',
  message: 'error' in result ? result.error : `${title} does not support this command.`,
})
