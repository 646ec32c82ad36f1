import { abortRun, answerApproval, messageCommands, stopTask } from './commands.ts'
import { createConversationState } from './conversation-state.ts'
import { historyCommands } from './history-commands.ts'
import { createLifecycle } from './lifecycle.ts'
import { queueCommands } from './queue-commands.ts'
import { createCommandSender } from './send-command.ts'
import type { OwnedSession } from './session.ts'
import type { SessionDeps, SessionStart } from './session-deps.ts'
import { settingCommands } from './setting-commands.ts'
import { shellCommands } from './shell-commands.ts'

/**
 * Composes a session from its parts, each over the same state: intake accepts the agent’s events,
 * lifecycle starts and ends its process, commands go to it.
 */
export const createSession = (deps: SessionDeps, start: SessionStart): OwnedSession => {
  const state = createConversationState(deps, start)
  const lifecycle = createLifecycle(state, start)
  const send = createCommandSender(state, lifecycle)
  const { activity, approvals } = state
  let isInterrupted = false
  state.onBudgetStop = () => {
    const stopped = activity.isBusy() ? abortRun(state, lifecycle) : lifecycle.stop('stopped')
    stopped.catch(deps.onError)
  }

  return {
    ...messageCommands(state, send),
    ...queueCommands(state, send),
    ...settingCommands(state, send, lifecycle),
    ...shellCommands(state, send),
    ...historyCommands(state, lifecycle),
    isBusy: activity.isBusy,
    isAlive: lifecycle.isAlive,
    abort: (options) => abortRun(state, lifecycle, options),
    stopTask: (taskId, options) => stopTask(state, taskId, options),
    answer: (approvalId, decision) => answerApproval(state, approvalId, decision),
    pendingApprovals: approvals.pending,
    async idle() {
      do {
        while (activity.isBusy()) await activity.whenEnded()
        await deps.recorder.settled()
      } while (activity.isBusy())
    },
    stop: (reason = 'stopped') => lifecycle.stop(reason),
    canUnload: () =>
      !activity.isBusy() &&
      approvals.pending().length === 0 &&
      state.backgroundTasks.length === 0 &&
      state.openShells.size === 0,
    unload: lifecycle.unload,
    async interrupt(reason) {
      if (!activity.isBusy() || isInterrupted) return
      isInterrupted = true
      state.emit({ type: 'error', ...reason, fatal: false })
      await lifecycle.endBySignals('stopped', { signals: ['SIGTERM', 'SIGKILL'] })
      isInterrupted = false
    },
    sendWaiting() {
      if (state.isSendingPutOff && !activity.isBusy()) state.onRunEnd()
    },
    eventStored: state.receipts.stored,
    kill: () => lifecycle.kill('stopped'),
  }
}
