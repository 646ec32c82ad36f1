import { randomUUID } from 'node:crypto'
import { defined } from '../../shared/fields.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'
import type { ConversationState } from './conversation-state.ts'
import { sendAbort, updateSession } from './intake.ts'
import type { Lifecycle } from './lifecycle.ts'
import { newMessage, queueFull } from './queue.ts'
import type { SendCommand } from './send-command.ts'
import type { CommandResult, Session } from './session.ts'

type Messages = Pick<Session, 'prompt' | 'steer' | 'followUp'>

/** The commands that send a message to the agent. */
export const messageCommands = (state: ConversationState, send: SendCommand): Messages => {
  const { activity, queue, deps } = state
  const queueHolder = deps.agent.live?.queue

  const prompt: Session['prompt'] = async (text, images) => {
    if (activity.isBusy()) return busy
    const result = await send({ type: 'prompt', ...newMessage(text, images) })
    if (result.outcome === 'accepted') deps.onPrompt?.(text)
    return result
  }

  return {
    prompt,
    async steer(text, images) {
      if (!activity.isBusy()) return prompt(text, images)
      if (queue.isFull()) return queueFull
      const message = newMessage(text, images)
      if (queueHolder === 'session') queue.steer(message)
      return send({ type: 'steer', ...message })
    },
    async followUp(text, images) {
      if (!activity.isBusy()) return prompt(text, images)
      if (queue.isFull()) return queueFull
      const message = newMessage(text, images)
      if (queueHolder === 'agent') return send({ type: 'followUp', ...message })
      queue.followUp(message)
      return { outcome: 'accepted' }
    },
  }
}

const busy: CommandResult = {
  outcome: 'busy',
  error: 'The agent is working. Send a steer or a follow-up message, or wait until the run ends.',
}

type Settings = Pick<
  Session,
  'compact' | 'setModel' | 'models' | 'setThinking' | 'setName' | 'rename'
>

/** The commands that change how the agent works, and the session’s name. */
export const settingCommands = (state: ConversationState, send: SendCommand): Settings => ({
  compact: (instructions) =>
    send({ type: 'compact', id: randomUUID(), ...defined({ instructions }) }),
  setModel: (model) => send({ type: 'setModel', id: randomUUID(), model }),
  models: async () => state.driver?.models(),
  setThinking: (level) => send({ type: 'setThinking', id: randomUUID(), level }),
  setName: (name) => send({ type: 'setName', id: randomUUID(), name }),
  async rename(name) {
    updateSession(state, { type: 'session_update', name })
    if (name !== '') void state.driver?.send({ type: 'setName', id: randomUUID(), name })
    await state.deps.recorder.settled()
  },
})

/** Stops the run: by the agent’s own protocol, then by signals if the agent does not obey. */
export const abortRun = async (state: ConversationState, lifecycle: Lifecycle): Promise<void> => {
  const { activity, approvals, emit, deps } = state
  if (!activity.isBusy()) return void approvals.cancelAll('cancelled')
  const { abortMs = 10_000 } = deps
  const ended = activity.whenEnded()
  const emitStatus = (status: string) => emit({ type: 'session_update', status })
  emitStatus('stopping')
  // Before its run has started an agent has nothing to stop. One that requests approval has started.
  if (approvals.pending().length === 0) await finishesWithin(activity.whenStarted(), abortMs)
  // Before the requests are denied: an agent that is denied first would call the model again.
  if (activity.isBusy()) sendAbort(state)
  approvals.cancelAll('cancelled')
  if (await finishesWithin(ended, abortMs)) return
  await lifecycle.endBySignals('stopped', {
    signals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
    onSignal: (signal) => emitStatus(`stopping (${signal})`),
  })
}
