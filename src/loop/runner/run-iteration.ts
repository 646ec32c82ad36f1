import { createHash } from 'node:crypto'
import { createWorkClock, type WorkClock } from '../../budget/work-clock.ts'
import type {
  ContextGauge,
  EventOf,
  IterationOutcome,
  StampedEvent,
  Totals,
} from '../../events/types.ts'
import { endsWithPromise } from '../../handler/ends-with-promise.ts'
import { createResultCollector } from '../../handler/result-collector.ts'
import type { RunResult } from '../../handler/stream-handler.ts'
import type { LoopRecord } from '../../log/types.ts'
import type { CommandResult, Session } from '../../session/conversation/session.ts'
import { defined } from '../../shared/fields.ts'
import { reasonOf } from '../../shared/reason.ts'
import type { IterationResult } from '../iterations.ts'
import { type MetLimit, spentLimit } from '../limits.ts'
import { credibleReset, isRateLimit, resetTimeIn } from '../rate-limit.ts'

/** An iteration that is going on. */
export interface RunningIteration {
  /** Called with each event of its session, once it is stored. */
  onEvent(event: StampedEvent): void
  /** Stops the run. The iteration then ends with this outcome. */
  stop(outcome: 'aborted' | 'interrupted'): void
  /** How the iteration ended. */
  readonly ended: Promise<EndedIteration>
}

export interface EndedIteration {
  result: IterationResult
  /** When the rate limit ends, if the agent says it. */
  resetsAt?: number | undefined
  /** The limit of the loop that stopped it. */
  limit?: MetLimit | undefined
  /** A failure of Sluice, not of the agent: it does not count. */
  isOurs?: boolean
  /** The budget that stopped it. */
  budget?: string | undefined
}

export interface IterationParts {
  /** The loop as it is now, with this iteration as its last one. */
  loop(): LoopRecord
  session: Session
  prompt: string
  now(): number
  /** Called when tokens were used. */
  onProgress(progress: { turns: number; usage?: Totals; context?: ContextGauge }): void
  /** Receives errors of commands. */
  onError(cause: unknown): void
}

/** Sends the prompt to a new session, and watches the run until it is over. */
export const runIteration = (parts: IterationParts): RunningIteration => {
  const { session, prompt, now, onError } = parts
  const { by } = parts.loop()
  const sender = by ? { by } : {}
  const collector = createResultCollector(now)
  const clock = startedClock(now)
  const forced = Promise.withResolvers<void>()
  let stopped: { outcome: IterationOutcome; limit?: MetLimit } | undefined
  let reset: number | undefined
  let budget: string | undefined

  const stop = (outcome: IterationOutcome, limit?: MetLimit): void => {
    if (stopped) return
    stopped = { outcome, ...(limit && { limit }) }
    if (outcome === 'interrupted') forced.resolve()
    else session.abort(sender).catch(onError)
  }
  const checkLimits = (usage?: Totals): void => {
    const limit = spentLimit(parts.loop(), { usage, durationMs: clock.ms() })
    if (limit) stop('limit', limit)
  }
  const timers = createTimers()
  const watchDuration = (): void => {
    const { limits, durationMs } = parts.loop()
    const left = (limits.maxDurationMs ?? Number.POSITIVE_INFINITY) - durationMs
    timers.after('duration', Math.min(left - clock.ms(), tickMs), () => {
      checkLimits()
      if (!stopped) watchDuration()
    })
  }
  watchDuration()
  const watchIdle = (): void => {
    const { idleTimeoutMs } = parts.loop().limits
    if (idleTimeoutMs === undefined) return
    timers.after('idle', idleTimeoutMs, () => {
      // The time in which a person must answer does not count.
      if (session.pendingApprovals().length > 0) watchIdle()
      else stop('idle_timeout')
    })
  }
  watchIdle()

  const work = async (): Promise<EndedIteration> => {
    try {
      const sent = await session.prompt(prompt, sender)
      const refusal = refusalOf(sent)
      if (refusal && !stopped) return failedStart(refusal, clock.ms())
      await Promise.race([session.idle(), forced.promise])
    } catch (cause) {
      return { result: failedResult(reasonOf(cause), clock.ms()) }
    } finally {
      timers.clear()
    }
    const loop = parts.loop()
    const run = collector.result()
    return endOf({ loop, run, stopped, reset, budget, at: now(), durationMs: clock.ms() })
  }

  return {
    onEvent(event) {
      collector.push(event)
      watchIdle()
      leaveOutWaits(clock, event)
      if (event.type === 'session_update' && event.rateLimit)
        reset = event.rateLimit.status === 'rejected' ? event.rateLimit.resetsAt : undefined
      if (event.type === 'budget_update') budget = exceededBudget(event, budget)
      if (event.type !== 'usage_update') return
      const { turns } = collector.result()
      parts.onProgress({
        turns,
        usage: event.totals,
        ...defined({ context: event.context ?? undefined }),
      })
      checkLimits(event.totals)
    },
    stop,
    ended: work(),
  }
}

/** Measures an iteration from now on. */
const startedClock = (now: () => number): WorkClock => {
  const clock = createWorkClock(now)
  clock.start()
  return clock
}

/** As with budgets, the time in which an agent waits for a person does not count. */
const leaveOutWaits = (clock: WorkClock, event: StampedEvent): void => {
  if (event.type === 'approval_request') clock.wait(event.approvalId)
  if (event.type === 'approval_resolved') clock.answered(event.approvalId)
}

/** A limit on time can change during an iteration, so it is looked at this often. */
const tickMs = 1000

const failedResult = (message: string, durationMs: number): IterationResult => ({
  outcome: 'failed',
  message,
  durationMs,
})

/** Why a prompt did not reach the agent; undefined if it did. */
const refusalOf = (sent: CommandResult): { message: string; isOurs: boolean } | undefined => {
  if (sent.outcome === 'accepted' || sent.outcome === 'unanswered') return undefined
  const message = 'error' in sent && sent.error ? sent.error : 'The agent did not take the prompt.'
  const code = 'code' in sent ? sent.code : undefined
  return { message, isOurs: code !== undefined && ours.has(code) }
}

/** What fails without the agent. */
const ours: ReadonlySet<string> = new Set([
  ...['too_many_sessions', 'disk_full', 'log_failed', 'unreachable'],
])

const failedStart = (
  { message, isOurs }: { message: string; isOurs: boolean },
  durationMs: number,
): EndedIteration => ({
  result: {
    ...failedResult(message, durationMs),
    ...(isOurs && { outcome: 'interrupted' }),
  },
  isOurs,
})

/** The budget that is exceeded now; a raise or a new day lets the run go on. */
const exceededBudget = (
  { level, budget }: EventOf<'budget_update'>,
  before: string | undefined,
): string | undefined => {
  if (level !== 'exceeded') return level === 'warning' ? before : undefined
  return `The budget of the ${budget.scope} is used up.`
}

interface Ended {
  loop: LoopRecord
  run: RunResult
  stopped: { outcome: IterationOutcome; limit?: MetLimit } | undefined
  reset: number | undefined
  budget: string | undefined
  at: number
  durationMs: number
}

const endOf = ({ loop, run, stopped, reset, budget, at, durationMs }: Ended): EndedIteration => {
  const { usage, context, turns, finalText } = run
  const outcome = outcomeOf(loop, run, stopped?.outcome, reset)
  const message = messageOf(loop, outcome, run)
  return {
    result: {
      outcome,
      durationMs,
      turns,
      usage: usage ?? undefined,
      context: context ?? undefined,
      message,
      textHash: createHash('sha256').update(finalText.trim()).digest('hex'),
    },
    limit: stopped?.limit,
    budget,
    ...(outcome === 'rate_limited' && {
      resetsAt:
        (reset === undefined ? undefined : credibleReset(reset, at)) ??
        resetTimeIn(`${run.errorMessage ?? ''}\n${finalText}`, at),
    }),
  }
}

const outcomeOf = (
  loop: LoopRecord,
  run: RunResult,
  stopped: IterationOutcome | undefined,
  reset: number | undefined,
): IterationOutcome => {
  const isPromise = !run.isError && endsWithPromise(run.finalText, loop.promise)
  // What was finished before the limit stopped it counts as finished.
  if (stopped) return isPromise && run.stopReason !== 'aborted' ? 'promise' : stopped
  if (run.isError)
    return reset !== undefined || isRateLimit(run.errorMessage ?? '') ? 'rate_limited' : 'failed'
  if (run.stopReason === 'aborted' || run.stopReason === undefined) return 'aborted'
  return isPromise ? 'promise' : 'completed'
}

const messageOf = (
  loop: LoopRecord,
  outcome: IterationOutcome,
  { errorMessage }: RunResult,
): string | undefined => {
  if (outcome === 'idle_timeout')
    return `The agent did nothing for ${(loop.limits.idleTimeoutMs ?? 0) / 1000} seconds.`
  if (outcome === 'completed' || outcome === 'promise' || outcome === 'limit') return undefined
  return errorMessage ?? (outcome === 'failed' ? 'The run failed.' : undefined)
}

/** Named timers. A new one replaces the one with its name. */
const createTimers = () => {
  const timers = new Map<string, NodeJS.Timeout>()
  return {
    after(name: string, ms: number, run: () => void): void {
      clearTimeout(timers.get(name))
      timers.set(name, setTimeout(run, Math.min(Math.max(1, ms), 2 ** 31 - 1)))
    },
    clear(): void {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}
