import { randomUUID } from 'node:crypto'
import { LogFault } from '../../log/log-fault.ts'
import { defined } from '../../shared/fields.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'
import { approvalActionOf } from './approval-action.ts'
import { checkAttachments } from './attachments.ts'
import { authorName } from './authors.ts'
import type { ConversationState } from './conversation-state.ts'
import type { Lifecycle } from './lifecycle.ts'
import { newMessage, queueFull } from './queue.ts'
import type { NewReceipt, QueuedMessage, Receipts } from './receipts.ts'
import { sendAbort } from './run.ts'
import { failedResult, type SendCommand } from './send-command.ts'
import type {
  ApprovalDecision,
  CommandResult,
  MessageOptions,
  SenderOptions,
  Session,
} from './session.ts'
import type { SessionAction } from './session-deps.ts'

type Messages = Pick<Session, 'prompt' | 'steer' | 'followUp'>

/** The commands that send a message to the agent. Each is stored before it is sent. */
export const messageCommands = (state: ConversationState, send: SendCommand): Messages => {
  const { activity, queue, receipts, deps } = state

  const store = async (
    message: QueuedMessage,
    { by = deps.defaultActor, once }: MessageOptions,
    as: Pick<NewReceipt, 'kind' | 'state'>,
  ): Promise<void> => {
    await deps.checkLog?.()
    await receipts.add(message, { ...as, by, once })
  }

  /** What follows from the result, before the sender gets it. */
  const conclude = async (
    { id }: QueuedMessage,
    result: CommandResult,
    action: SessionAction,
    stored?: Promise<void>,
  ): Promise<CommandResult> => {
    audited(state, result, action)
    if (!isCarriedOut(result)) return withdraw(receipts, id, { result, stored })
    receipts.answered(id)
    return result
  }

  const prompt: Session['prompt'] = async (text, options = {}) => {
    if (activity.isBusy()) return busy
    const checked = checkAttachments(deps.agent, options)
    if ('refusal' in checked) return checked.refusal
    state.isAborting = false
    const message = newMessage(text, checked.attachments)
    const stored = store(message, options, { kind: 'prompt', state: 'sent' })
    const result = await send({ type: 'prompt', ...message }, stored)
    if (result.outcome === 'accepted') deps.onPrompt?.(text)
    const action = { action: 'prompt', by: options.by, detail: text } as const
    return conclude(message, result, action, stored)
  }

  return {
    prompt,
    async steer(text, options = {}) {
      if (!activity.isBusy()) return prompt(text, options)
      if (queue.isFull()) return queueFull
      const checked = checkAttachments(deps.agent, options)
      if ('refusal' in checked) return checked.refusal
      const message = newMessage(text, checked.attachments)
      const stored = store(message, options, { kind: 'steer', state: 'sent' }).then(() => {
        if (deps.agent.live?.queue === 'session') queue.steer(message)
        else queue.expectHeld(message)
      })
      const result = await send({ type: 'steer', ...message }, stored)
      const action = { action: 'steer', by: options.by, detail: text } as const
      return conclude(message, result, action, stored)
    },
    async followUp(text, options = {}) {
      if (!activity.isBusy()) return prompt(text, options)
      if (queue.isFull()) return queueFull
      const checked = checkAttachments(deps.agent, options)
      if ('refusal' in checked) return checked.refusal
      const message = newMessage(text, checked.attachments)
      try {
        await store(message, options, { kind: 'follow_up', state: 'queued' })
      } catch (cause) {
        return failedResult(cause)
      }
      queue.followUp(message)
      const action = { action: 'follow_up', by: options.by, detail: text } as const
      const result = await conclude(message, { outcome: 'accepted' }, action)
      // The run may have ended while the message was being stored.
      if (!activity.isBusy()) state.onRunEnd()
      return result
    },
  }
}

/** Deletes what is stored of a refused message. If that fails, its sender must not take it for refused. */
const withdraw = async (
  receipts: Receipts,
  id: string,
  { result, stored }: { result: CommandResult; stored: Promise<void> | undefined },
): Promise<CommandResult> => {
  try {
    await stored
    await receipts.refused(id)
    return result
  } catch (cause) {
    return cause instanceof LogFault ? failedResult(cause) : result
  }
}

/** Whether a command was carried out. Without a reply it was still written, and may have been. */
export const isCarriedOut = ({ outcome }: CommandResult): boolean =>
  outcome === 'accepted' || outcome === 'unanswered'

/** Reports a command that was carried out, and returns its result. */
export const audited = (
  { deps }: ConversationState,
  result: CommandResult,
  action: SessionAction,
): CommandResult => {
  if (isCarriedOut(result)) deps.onAction?.(action)
  return result
}

const busy: CommandResult = {
  outcome: 'busy',
  error: 'The agent is working. Send a steer or a follow-up message, or wait until the run ends.',
}

/** How long an agent that did not obey has after SIGINT, and again after SIGTERM. */
const signalMs = 1000

/** Stops the run: by the agent’s own protocol, then by signals if the agent does not obey. */
export const abortRun = async (
  state: ConversationState,
  lifecycle: Lifecycle,
  { by }: SenderOptions = {},
): Promise<void> => {
  const { activity, approvals, emit, deps } = state
  if (!activity.isBusy()) return refuseDialogs(state)
  deps.onAction?.({ action: 'abort', by })
  const { abortMs = 5000 } = deps
  const startedAt = performance.now()
  const ended = activity.whenEnded()
  const emitStatus = (status: string) => emit({ type: 'session_update', status })
  emit({
    type: 'session_update',
    status: 'stopping',
    ...defined({ by: authorName(by ?? deps.defaultActor) }),
  })
  state.isAborting = true
  // Before its run has started an agent has nothing to stop. One that requests approval has started.
  const mayStart = approvals.pending().length === 0 && state.silence !== 'named'
  if (mayStart) await finishesWithin(activity.whenStarted(), abortMs)
  // Before the requests are denied: an agent that is denied first would call the model again.
  if (activity.isBusy()) sendAbort(state)
  if (!activity.hasStarted()) void abortAtStart(state)
  approvals.cancelAll('cancelled')
  const leftMs = abortMs - (performance.now() - startedAt)
  const isEnded = await finishesWithin(ended, Math.max(leftMs, abortMs / 2))
  if (isEnded) {
    state.isAborting = false
    return
  }
  await lifecycle.endBySignals('stopped', {
    signals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
    graceMs: signalMs,
    onSignal: (signal) => emitStatus(`stopping (${signal})`),
  })
}

/** An abort has no effect before the run: an agent that asks first would then call the model. */
const abortAtStart = async (state: ConversationState): Promise<void> => {
  await state.activity.whenStarted()
  if (state.isAborting && state.activity.isBusy()) sendAbort(state)
}

/** How long an agent without a run may take to request the next thing, after one was refused. */
const nextDialogMs = 1000

/** Without a run, only dialogs can be open. A refused one may be followed by the next. */
const refuseDialogs = (state: ConversationState): void => {
  const { approvals } = state
  if (approvals.pending().length === 0) return
  state.isAborting = true
  approvals.cancelAll('cancelled')
  setTimeout(() => {
    if (!state.activity.isBusy()) state.isAborting = false
  }, nextDialogMs).unref()
}

/** How long an agent may take to confirm that it stops a task. Old versions never do. */
const stopTaskMs = 5000

const notStopped: CommandResult = {
  outcome: 'refused',
  error:
    'The agent did not confirm that it stops the task. Its version may not support that. Send a prompt that asks the agent to stop it.',
}

/** Stops a background task by the agent’s own protocol. It never starts the agent. */
export const stopTask = async (
  state: ConversationState,
  taskId: string,
  { by }: SenderOptions = {},
): Promise<CommandResult> => {
  const command = { type: 'stopTask', id: randomUUID(), taskId } as const
  const sent = state.driver?.send(command) ?? Promise.resolve<CommandResult>({ outcome: 'gone' })
  const result = (await finishesWithin(sent, stopTaskMs)) ? await sent : notStopped
  return audited(state, result, { action: 'task_stopped', by, detail: taskId })
}

/** Answers an approval request. False if the request is no longer open. */
export const answerApproval = (
  { approvals, deps }: ConversationState,
  approvalId: string,
  decision: ApprovalDecision,
): boolean => {
  const request = approvals.pending().find((each) => each.approvalId === approvalId)
  const isInTime = approvals.answer(approvalId, decision)
  // The guard of the budgets reports what it makes of a decision.
  if (isInTime && request && request.kind !== 'budget')
    deps.onAction?.(approvalActionOf(request, decision))
  return isInTime
}
