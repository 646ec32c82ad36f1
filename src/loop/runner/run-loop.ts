import type { LoopEnd, LoopWait, StampedEvent } from '../../events/types.ts'
import { LogFault } from '../../log/log-fault.ts'
import type { LoopRecord } from '../../log/types.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import { reasonOf } from '../../shared/reason.ts'
import { shortened } from '../../shared/shortened.ts'
import { withIteration, withProgress, withResult } from '../iterations.ts'
import { metLimit } from '../limits.ts'
import { loopTitle } from '../loop-title.ts'
import { type LastIteration, nextStep, retryDelayMs } from '../next-step.ts'
import type { LoopsOptions } from './loops.ts'
import { readPrompt } from './read-prompt.ts'
import { type EndedIteration, type RunningIteration, runIteration } from './run-iteration.ts'
import { type Wait, waitUntil } from './wait-until.ts'

/** A loop that is running or waiting in this process. */
export interface RunningLoop {
  /** The loop as it is now. */
  record(): LoopRecord
  /** Changes the record, and stores it. */
  update(change: (record: LoopRecord) => LoopRecord): Promise<LoopRecord>
  onEvent(event: StampedEvent): void
  pause(abort: boolean): Promise<LoopRecord>
  stop(): Promise<LoopRecord>
  /** Takes back a pause after the iteration. False: the loop ends now, and `over` resolves soon. */
  unpause(): Promise<boolean>
  /**
   * Ends the loop without storing that, so that it resumes at the next start: now, or with `isGentle`
   * after its iteration.
   */
  interrupt(isGentle?: boolean): void
  /** Resolves when the loop is paused, done or interrupted. */
  readonly over: Promise<void>
}

type Control = 'pause' | 'stop' | 'interrupt'

/** Runs a loop until it is paused, done or interrupted. `isResumed`: a person resumes it now. */
export const runLoop = (
  initial: LoopRecord,
  options: LoopsOptions,
  isResumed = false,
): RunningLoop => {
  const state = createState(initial, options)
  const { save } = state
  const { now, onError } = options
  const request = (wanted: Control): void => {
    state.control = wanted
    state.wait?.end()
    state.iteration?.stop(wanted === 'interrupt' ? 'interrupted' : 'aborted')
  }
  const over = cycle(state, isResumed).catch(onError)

  return {
    record: () => state.record,
    async update(change) {
      await save(change(state.record))
      // Limits hold at once, also while the loop waits.
      if (metLimit(state.record)) state.wait?.end()
      return state.record
    },
    onEvent(event) {
      const { iteration, record } = state
      if (event.sessionId === record.iterations.at(-1)?.sessionId) iteration?.onEvent(event)
    },
    async pause(abort) {
      if (abort || !state.iteration) {
        request('pause')
        await over
      } else {
        state.control = 'pause'
        await save({ ...state.record, pauseRequested: true, updatedAt: now() })
      }
      return state.record
    },
    async unpause() {
      if (state.control === 'pause' && state.iteration) state.control = undefined
      if (state.control || state.isFinishing) return false
      const { pauseRequested, ...rest } = state.record
      if (pauseRequested) await save({ ...rest, updatedAt: now() })
      return true
    },
    async stop() {
      request('stop')
      await over
      return state.record
    },
    interrupt(isGentle = false) {
      if (!isGentle) return request('interrupt')
      state.control = 'interrupt'
      state.wait?.end()
    },
    over,
  }
}

/** A running loop: its record, and what it does now. */
interface LoopState {
  readonly options: LoopsOptions
  record: LoopRecord
  iteration: RunningIteration | undefined
  wait: Wait | undefined
  control: Control | undefined
  /** How it ends is being stored: commands come too late. */
  isFinishing: boolean
  /** Shows a change that is not stored. */
  publish(next: LoopRecord): void
  save(next: LoopRecord): Promise<void>
}

const createState = (record: LoopRecord, options: LoopsOptions): LoopState => {
  const { log, onLoop, onError } = options
  const state: LoopState = {
    ...{ options, record, iteration: undefined, wait: undefined, control: undefined },
    isFinishing: false,
    publish(next) {
      state.record = next
      onLoop?.(next)
    },
    async save(next) {
      state.publish(next)
      // One that cannot be stored is stored with the next change; the sessions show what was done.
      await log.loops.put(next).catch(onError)
    },
  }
  return state
}

const cycle = async (state: LoopState, isResumed: boolean): Promise<void> => {
  const { now, onError } = state.options
  let failed = 0
  let last: LastIteration = lastOf(state.record, isResumed)
  while (!state.control) {
    try {
      const done = await step(state, last)
      failed = 0
      last = done.last ?? {}
      if (done.end || done.pause !== undefined) return await finish(state, done)
      if (done.last?.isOurs) await sleep(state, now() + busyMs, 'retry')
    } catch (cause) {
      // The log may be able to store again later.
      failed += 1
      if (!(cause instanceof LogFault || cause instanceof Fault)) onError(cause)
      if (!(cause instanceof LogFault) || failed > maxLogFailures)
        return await finish(state, { end: { reason: 'failed', message: reasonOf(cause) } })
      await sleep(state, now() + retryDelayMs(failed), 'retry')
    }
  }
  const next = state.control === 'pause' ? nextStep(state.record, now(), last) : undefined
  await finish(state, next?.kind === 'end' ? { end: next } : {})
}

/** A person who resumes a loop does not want to wait for a rate limit, or after a failure. */
const lastOf = ({ waitsFor, nextAt }: LoopRecord, isResumed: boolean): LastIteration => {
  if (isResumed) return { resetsAt: 0 }
  return waitsFor === 'rate_limit' && nextAt !== undefined ? { resetsAt: nextAt - 1000 } : {}
}

/** Waits for the next iteration and runs it. */
const step = async (state: LoopState, last: LastIteration): Promise<Step> => {
  const next = nextStep(state.record, state.options.now(), last)
  if (next.kind === 'end') return { end: next }
  if (next.kind === 'wait') await sleep(state, next.until, next.waitsFor)
  if (state.control) return {}
  // Limits can have been changed during the wait.
  const limit = metLimit(state.record)
  if (limit) return { end: limit }
  const refusal = await refusalOf(state.record, state.options)
  if (refusal !== undefined) return { pause: refusal }
  const ended = await runNext(state)
  return ended ? { ...afterwards(ended, state.control), last: ended } : {}
}

const runNext = async (state: LoopState): Promise<EndedIteration | undefined> => {
  const { sessions, now, onError } = state.options
  const prompt = await readPrompt(state.record)
  if (state.control) return undefined
  const created = await sessions.create(sessionOf(state.record))
  // Nobody waits for it: the log stores it before the prompt, which is sent once it is stored.
  void state.save(withIteration(state.record, created.record.id, now()))
  const { session } = created
  const iteration = runIteration({
    ...{ session, prompt, now, onError },
    loop: () => state.record,
    onProgress: (progress) => state.publish(withProgress(state.record, progress)),
  })
  state.iteration = iteration
  const { control } = state
  if (control) iteration.stop(control === 'interrupt' ? 'interrupted' : 'aborted')
  const ended = await iteration.ended
  state.iteration = undefined
  void state.save(withResult(state.record, ended.result, now()))
  // The next iteration is a new conversation in a new process.
  if (state.control !== 'interrupt') await session.stop().catch(onError)
  return ended
}

const sleep = async (state: LoopState, until: number, waitsFor: LoopWait): Promise<void> => {
  if (state.control) return
  const { now } = state.options
  const wait = waitUntil(until, now)
  state.wait = wait
  await state.save({ ...state.record, state: 'waiting', waitsFor, nextAt: until, updatedAt: now() })
  await wait.over
  state.wait = undefined
}

/** Stores how the loop ended, or that it is paused. */
const finish = async (state: LoopState, { end, pause }: Step): Promise<void> => {
  const { control, record } = state
  state.isFinishing = true
  if (control === 'interrupt') return
  const at = state.options.now()
  const { waitsFor: _, nextAt: __, pauseRequested: ___, ...rest } = record
  const ending = control === 'stop' ? stoppedByPerson : end
  await state.save({
    ...rest,
    ...(ending
      ? { state: 'done', end: { reason: ending.reason, message: ending.message, at } }
      : { state: 'paused' }),
    ...(!ending && pause !== undefined && { pauseReason: shortened(pause, 500) }),
    updatedAt: at,
  })
}

/** What an iteration leads to. */
interface Step {
  end?: Omit<LoopEnd, 'at'>
  /** Why a person must resume the loop. */
  pause?: string
  last?: EndedIteration
}

/** How long a loop waits when Sluice cannot run its agent now. */
const busyMs = 30_000

/** How often a loop tries again when the log cannot store anything. */
const maxLogFailures = 20

/** How a loop ends that a person stops. */
export const stoppedByPerson = { reason: 'stopped', message: 'A person stopped the loop.' } as const

const afterwards = (
  { limit, budget, result }: EndedIteration,
  control: Control | undefined,
): Step => {
  if (result.outcome === 'promise') return {}
  if (limit) return { end: limit }
  const isStopped = result.outcome === 'aborted' || result.outcome === 'failed'
  if (budget !== undefined && isStopped) return { end: { reason: 'budget', message: budget } }
  if (result.outcome === 'aborted' && control === undefined)
    return { pause: 'The iteration was stopped.' }
  return {}
}

const refusalOf = async (
  { creatorId }: LoopRecord,
  { refusalFor }: LoopsOptions,
): Promise<string | undefined> => (creatorId === undefined ? undefined : refusalFor?.(creatorId))

/** The session of the next iteration. */
const sessionOf = (loop: LoopRecord) => {
  const { agent, cwd, model, projectId, by, creatorId, id, start } = loop
  const iteration = loop.iterationCount + 1
  return {
    ...{ agent, cwd, by, creatorId, loopId: id, iteration },
    name: `${loopTitle(loop)} #${iteration}`,
    ...defined({ model, projectId, start }),
    ...(loop.onExceeded && { budget: { limits: {}, onExceeded: loop.onExceeded } }),
  }
}
