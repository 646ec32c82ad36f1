import { type Agent, canWait } from '../../agents/agent.ts'
import type { EventOf } from '../../events/types.ts'
import { agentVersion } from '../../process/agent-catalog.ts'
import type { RunningProcess } from '../../process/spawn.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'
import type { Pressure } from '../recording/backlog.ts'

export interface BackpressureOptions {
  agent: Agent
  program: string
  process: Pick<RunningProcess, 'pause' | 'resume'>
  /** Called when an agent that cannot wait has been paused for `patienceMs`. */
  onTooSlow(): void
  patienceMs?: number
}

/**
 * Whether the output of an agent is read. An agent that can wait is paused as soon as half of what
 * may wait for the log does. Other agents die when their output is not read, so they are paused only
 * at the limit, and not for long.
 */
export interface Backpressure {
  /** How much waits for the log has changed. */
  setPressure(pressure: Pressure): void
  /**
   * True if a promise resolves within a time. The agent cannot reply while it is paused, so up to a
   * minute of that does not count.
   */
  finishesWithin(done: Promise<unknown>, ms: number): Promise<boolean>
  /** Whether the output is not read now: the agent may be unable to finish anything. */
  isPaused(): boolean
  /** The process has ended. */
  close(): void
}

/** How much of a pause does not count when a reply is waited for. */
const maxPausedMs = 60_000

export const createBackpressure = (options: BackpressureOptions): Backpressure => {
  const { process, patienceMs = 10_000 } = options
  const waitSupport = createWaitSupport(options, () => adjust())
  const clock = createPauseClock()
  let pressure: Pressure = 'low'
  let patience: NodeJS.Timeout | undefined
  let isClosed = false

  const pause = (): void => {
    clock.pause()
    process.pause()
  }

  const resume = (): void => {
    clock.resume()
    process.resume()
  }

  const stopWaiting = (): void => {
    clearTimeout(patience)
    patience = undefined
  }

  const adjust = (): void => {
    if (isClosed) return
    const canWait = pressure === 'low' ? undefined : waitSupport.canWait()
    const isAtLimit = pressure === 'full'
    if (isAtLimit || (pressure === 'half' && canWait === true)) pause()
    else resume()
    if (isAtLimit && canWait === false) patience ??= setTimeout(options.onTooSlow, patienceMs)
    else stopWaiting()
  }

  return {
    setPressure(next) {
      pressure = next
      adjust()
    },
    async finishesWithin(done, ms) {
      const began = performance.now()
      const pausedBefore = clock.pausedMs()
      for (let left = ms; left > 0; ) {
        if (await finishesWithin(done, left)) return true
        const paused = Math.min(clock.pausedMs() - pausedBefore, maxPausedMs)
        left = Math.ceil(ms + paused - (performance.now() - began))
      }
      return false
    },
    isPaused: clock.isPaused,
    close() {
      isClosed = true
      clock.resume()
      stopWaiting()
    },
  }
}

/**
 * Whether an agent can wait. For most agents that is certain. For others it depends on the version,
 * which is read only when it matters: until then it is undefined, and the agent is read up to the limit.
 */
const createWaitSupport = ({ agent, program }: BackpressureOptions, onKnown: () => void) => {
  let known = agent.waitsSince === undefined ? true : undefined
  let isReading = false

  const read = async (): Promise<void> => {
    known = canWait(agent, await agentVersion(program))
    onKnown()
  }

  return {
    canWait(): boolean | undefined {
      if (known === undefined && !isReading) {
        isReading = true
        void read()
      }
      return known
    },
  }
}

/** Adds up how long something was paused. */
const createPauseClock = () => {
  let total = 0
  let since: number | undefined
  return {
    pause() {
      since ??= performance.now()
    },
    resume() {
      if (since !== undefined) total += performance.now() - since
      since = undefined
    },
    isPaused: () => since !== undefined,
    pausedMs: () => total + (since === undefined ? 0 : performance.now() - since),
  }
}

/** Why an agent was stopped that could not wait for the log. */
export const logTooSlow = ({ title }: Agent): EventOf<'error'> => ({
  type: 'error',
  code: 'log_too_slow',
  message: `The log could not store events as fast as ${title} printed them, and this version of ${title} cannot wait. The agent was stopped; everything that it printed before is stored. Check the disk, or update ${title}.`,
  fatal: false,
})
