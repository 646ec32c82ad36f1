import { finishesWithin } from '../../shared/finishes-within.ts'
import type { ConversationState } from './conversation-state.ts'
import type { Driver } from './driver.ts'
import type { Lifecycle } from './lifecycle.ts'
import { silentNotice } from './notices.ts'
import { closeRun } from './run.ts'

/** Ends the run of a prompt that was written, if the agent reports that it does not work on it. */
export const endRunIfNoneStarts = async (
  state: ConversationState,
  driver: Driver,
): Promise<void> => {
  const { activity, deps } = state
  if (await startsRun(driver, activity.whenStarted(), deps.runStartMs)) return
  closeRun(state, { type: 'agent_end', stopReason: 'stop' })
}

const defaultRunStartMs = 1000
/** How often the wait is doubled, up to about a minute. */
const doublings = 6

/**
 * Whether a prompt that was written starts a run. Not every prompt does: a command of an extension may
 * work without the model. Then the agent reports that it is idle. An agent that cannot report that
 * is given its time.
 */
const startsRun = async (
  driver: Driver,
  started: Promise<void>,
  firstMs = defaultRunStartMs,
): Promise<boolean> => {
  for (let waits = 0; ; waits += 1) {
    if (await finishesWithin(started, firstMs * 2 ** Math.min(waits, doublings))) return true
    const activity = await Promise.race([driver.activity(), started.then(() => 'started' as const)])
    if (activity === 'started') return true
    if (activity === 'idle') return false
  }
}

const defaultSilentMs = 30_000
/** An agent is given up after this many times the time after which it is named. */
const silentTimes = 20

/** Names an agent that prints nothing after a prompt, and ends its process when it stays silent. */
export const watchSilence = async (
  state: ConversationState,
  lifecycle: Lifecycle,
): Promise<void> => {
  const { activity, deps, emit } = state
  const { silentMs = defaultSilentMs } = deps
  const isSilentFor = async (ms: number): Promise<boolean> =>
    !(await finishesWithin(activity.whenStarted(), ms)) && state.silence !== 'none'

  if (!(await isSilentFor(silentMs))) return
  state.silence = 'named'
  emit(silentNotice(deps.agent.title, silentMs))
  if (!(await isSilentFor(silentMs * (silentTimes - 1)))) return
  state.silence = 'given_up'
  await lifecycle.endBySignals('stopped', { signals: ['SIGTERM', 'SIGKILL'] })
}
