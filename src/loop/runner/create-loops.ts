import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Actor, AuditAction, LoopLimits } from '../../events/types.ts'
import { emptyTotals } from '../../events/usage-sums.ts'
import { createAuditor, thisProgram } from '../../log/auditor.ts'
import type { LoopRecord } from '../../log/types.ts'
import { refuseOverlap } from '../../process/overlap.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import { defaultLimits, defaultPromise } from '../limits.ts'
import { loopTitle } from '../loop-title.ts'
import { nextStep } from '../next-step.ts'
import { scheduleProblem } from '../schedule.ts'
import { closeIteration } from './close-iteration.ts'
import { createInTurn, type InTurn } from './in-turn.ts'
import type { ChangeLoopOptions, CreateLoopOptions, Loops, LoopsOptions } from './loops.ts'
import { readPrompt, realFileOf } from './read-prompt.ts'
import { type RunningLoop, runLoop, stoppedByPerson } from './run-loop.ts'

/** How many loops that are done are stored. */
const doneLoops = 200
/** How many loops there may be that are not done. */
const openLoops = 200

/** The loops of a log. They run in this process. */
export const createLoops = (options: LoopsOptions): Loops => {
  const { log, ownership } = options
  const registry = createRegistry(options)
  const { running, end } = registry

  return {
    ...changesOf(registry, options),
    ...controlsOf(registry, options),
    get: async (id) => running.get(id)?.record() ?? log.loops.get(id),
    async list() {
      const records = await log.loops.list()
      return records.map((record) => running.get(record.id)?.record() ?? record).reverse()
    },
    async settled(id) {
      await running.get(id)?.over
      return log.loops.get(id)
    },
    onEvent(event) {
      for (const loop of running.values()) loop.onEvent(event)
    },
    async resumeOwn() {
      // One that cannot be read does not keep the others from working.
      for (const { id } of await log.loops.list())
        if (!ownership || ownership.wasHere(id))
          await registry.inTurn(id, () => resumeOwn(registry, options, id)).catch(options.onError)
    },
    async adopt(id) {
      const record = await log.loops.get(id)
      if (!record || !existsSync(record.cwd) || ownership?.isElsewhere(id)) return
      await registry.inTurn(id, () => resumeOwn(registry, options, id))
    },
    abandon: () => registry.end(false, true),
    finish: () => end(true),
    close: () => end(false),
  }
}

/** Resumes a loop that was running when its program ended, or stores that it is paused. */
const resumeOwn = async (
  { running, save, continueLoop, isClosed }: Registry,
  { log, runner }: LoopsOptions,
  id: string,
): Promise<void> => {
  const record = await log.loops.get(id)
  if (!record || isClosed() || running.has(id)) return
  if (record.state !== 'running' && record.state !== 'waiting') return
  if (record.runner !== runner) await save(leftBehind(await closeIteration(record, log)))
  else if (record.pauseRequested) await save(paused(await closeIteration(record, log)))
  else await continueLoop(record)
}

/** The loops that run in this process, and what all commands need. */
interface Registry {
  readonly running: ReadonlyMap<string, RunningLoop>
  /** Commands about the same loop run one after another: two of them would start it twice. */
  readonly inTurn: InTurn
  isClosed(): boolean
  /**
   * Ends all loops without storing that: now, or after their iterations. No other one starts then,
   * unless `isOpen` is true.
   */
  end(isGentle: boolean, isOpen?: boolean): Promise<void>
  /** Runs a loop. After `end`, the loop is left as it is stored. */
  start(record: LoopRecord, isResumed?: boolean): LoopRecord
  save(record: LoopRecord): Promise<LoopRecord>
  /** Throws a `usage` fault if there is no such loop. */
  requireLoop(id: string): Promise<LoopRecord>
  /** Starts a loop that is stored, after closing what a crash left open in it. */
  continueLoop(record: LoopRecord, isResumed?: boolean): Promise<LoopRecord>
  audit(action: AuditAction, record: LoopRecord, by: Actor | undefined): void
}

const createRegistry = (options: LoopsOptions): Registry => {
  const { log, runner, now, onLoop, onError, ownership } = options
  const { defaultActor: program = thisProgram } = options
  const running = new Map<string, RunningLoop>()
  let isClosed = false
  const recordAction = createAuditor({ audit: log.audit, program, now, onError })

  const registry: Registry = {
    running,
    inTurn: createInTurn(),
    isClosed: () => isClosed,
    async end(isGentle, isOpen = false) {
      isClosed ||= !isOpen
      const loops = [...running.values()]
      for (const loop of loops) loop.interrupt(isGentle)
      await Promise.all(loops.map(({ over }) => over))
    },
    start(record, isResumed) {
      if (isClosed) return record
      const loop = runLoop(record, options, isResumed)
      running.set(record.id, loop)
      void loop.over.then(async () => {
        if (running.get(record.id) === loop) running.delete(record.id)
        if (!running.has(record.id)) await ownership?.release(record.id).catch(onError)
      })
      return loop.record()
    },
    async save(record) {
      await log.loops.put(record)
      onLoop?.(record)
      return record
    },
    async requireLoop(id) {
      const record = running.get(id)?.record() ?? (await log.loops.get(id))
      if (record) return record
      throw new Fault('usage', `There is no loop ${id}.`)
    },
    async continueLoop(record, isResumed) {
      await ownership?.claim(record.id)
      const closed = await closeIteration({ ...record, runner, updatedAt: now() }, log)
      return registry.start(await registry.save(closed), isResumed)
    },
    audit(action, record, by) {
      const { projectId, agent } = record
      recordAction({
        action,
        by,
        detail: `${agent}: ${loopTitle(record)}`,
        ...defined({ projectId }),
      })
    },
  }
  return registry
}

const changesOf = (
  { running, inTurn, start, save, requireLoop, audit }: Registry,
  options: LoopsOptions,
): Pick<Loops, 'create' | 'change'> => ({
  async create(wanted) {
    const record = newLoopRecord(wanted, options)
    // Refused now, rather than after the loop has started.
    await readPrompt(record)
    await options.sessions.checkStart?.(record)
    await requireRoom(options)
    await prune(options)
    await options.ownership?.claim(record.id)
    await save(record)
    audit('loop_started', record, wanted.by)
    return start(record)
  },
  async change(id, { by, name, prompt, limits }) {
    const change = (record: LoopRecord): LoopRecord => {
      const { name: before, promptFile, ...rest } = record
      return {
        ...rest,
        ...defined({ name: name === undefined ? before : (name ?? undefined) }),
        ...(prompt === undefined ? defined({ promptFile }) : { prompt }),
        limits: changedLimits(record.limits, limits),
        updatedAt: options.now(),
      }
    }
    return inTurn(id, async () => {
      const record = await requireLoop(id)
      const changed = await (running.get(id)?.update(change) ?? save(change(record)))
      audit('loop_changed', changed, by)
      return changed
    })
  },
})

const changedLimits = (before: LoopLimits, change: ChangeLoopOptions['limits']): LoopLimits => {
  const after = { ...before, ...defined({ ...change }) }
  return defined({
    maxIterations: after.maxIterations ?? undefined,
    maxDurationMs: after.maxDurationMs ?? undefined,
    maxCostUsd: after.maxCostUsd ?? undefined,
    maxTokens: after.maxTokens ?? undefined,
    maxFailures: after.maxFailures ?? undefined,
    maxStale: after.maxStale ?? undefined,
    idleTimeoutMs: after.idleTimeoutMs ?? undefined,
  })
}

const controlsOf = (
  { running, inTurn, save, requireLoop, continueLoop, audit }: Registry,
  { log, now }: LoopsOptions,
): Pick<Loops, 'pause' | 'resume' | 'stop'> => {
  const pause = async (id: string, by: Actor | undefined, abort: boolean): Promise<LoopRecord> => {
    const record = await requireLoop(id)
    if (record.state === 'done' || record.state === 'paused') return record
    audit('loop_paused', record, by)
    return running.get(id)?.pause(abort) ?? save({ ...paused(record), updatedAt: now() })
  }
  const resume = async (id: string, by: Actor | undefined): Promise<LoopRecord> => {
    const loop = running.get(id)
    if (await loop?.unpause()) return requireLoop(id)
    await loop?.over
    const record = await requireLoop(id)
    const closed = await closeIteration(withoutEnd(record), log)
    const again: LoopRecord = { ...closed, state: 'running', failures: 0, stale: 0 }
    const step = nextStep(again, now())
    if (step.kind === 'end')
      throw new Fault('usage', `The loop cannot continue. ${step.message}${hintFor(step.reason)}`)
    audit('loop_resumed', record, by)
    return continueLoop(again, true)
  }
  const stop = async (id: string, by: Actor | undefined): Promise<LoopRecord> => {
    const record = await requireLoop(id)
    if (record.state === 'done') return record
    audit('loop_stopped', record, by)
    const stopped = (await running.get(id)?.stop()) ?? record
    // It was not running, or was paused before it could be stopped.
    if (stopped.state === 'done') return stopped
    const at = now()
    const end = { ...stoppedByPerson, at }
    return save({ ...withoutEnd(stopped), state: 'done', end, updatedAt: at })
  }
  return {
    pause: (id, { by, abort = false } = {}) => inTurn(id, () => pause(id, by, abort)),
    resume: (id, { by } = {}) => inTurn(id, () => resume(id, by)),
    stop: (id, { by } = {}) => inTurn(id, () => stop(id, by)),
  }
}

const newLoopRecord = (
  { by, limits, schedule, promise, promptFile, ...wanted }: CreateLoopOptions,
  { now, runner, data }: LoopsOptions,
): LoopRecord => {
  const problem = schedule && scheduleProblem(schedule, now())
  if (problem !== undefined) throw new Fault('usage', problem)
  if ((wanted.prompt === undefined) === (promptFile === undefined))
    throw new Fault('usage', 'A loop needs either a prompt or a file with it.')
  refuseOverlap(wanted.cwd, data)
  const { id = randomUUID(), agent, cwd, ...optional } = wanted
  const createdAt = now()
  return {
    ...{ id, agent, cwd, runner },
    ...defined({ ...optional, by, schedule }),
    ...(promptFile !== undefined && { promptFile: realFileOf(promptFile, cwd) }),
    promise: promise ?? defaultPromise,
    limits: { ...defaultLimits, ...defined({ ...limits }) },
    state: 'running',
    ...{ createdAt, updatedAt: createdAt, iterationCount: 0, durationMs: 0 },
    ...{ usage: emptyTotals(), failures: 0, stale: 0, iterations: [] },
  }
}

/** Each loop that is not done is in memory, and starts again with the server. */
const requireRoom = async ({ log, maxOpen = openLoops }: LoopsOptions): Promise<void> => {
  const open = (await log.loops.list()).filter(({ state }) => state !== 'done')
  if (open.length < maxOpen) return
  throw new Fault(
    'usage',
    `There are already ${open.length} loops that are not done. Stop one first.`,
  )
}

/** Deletes the oldest loops that are done. Their sessions stay. */
const prune = async ({ log }: LoopsOptions): Promise<void> => {
  const done = (await log.loops.list()).filter(({ state }) => state === 'done')
  for (const { id } of done.slice(0, Math.max(0, done.length - doneLoops + 1)))
    await log.loops.remove(id)
}

const withoutEnd = ({
  end: _,
  pauseReason: __,
  pauseRequested: ___,
  waitsFor: ____,
  nextAt: _____,
  ...record
}: LoopRecord): LoopRecord => record

const paused = (record: LoopRecord): LoopRecord => ({ ...withoutEnd(record), state: 'paused' })

/** A loop of a terminal, which has ended. */
const leftBehind = (record: LoopRecord): LoopRecord => ({
  ...paused(record),
  pauseReason: 'The program that ran it has ended.',
})

const hintFor = (reason: string): string => {
  if (reason === 'promise') return ' Start a new loop.'
  return reason === 'failed' ? '' : ' Raise this limit first.'
}
