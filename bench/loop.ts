import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteLog } from '../src/log/index.ts'
import { createLoops } from '../src/loop/runner/create-loops.ts'
import type { LoopsOptions } from '../src/loop/runner/loops.ts'
import type { Session } from '../src/session/conversation/session.ts'
import { openSessions } from '../src/session/registry/open-sessions.ts'
import type { BenchOptions } from './part.ts'
import { medianAtMost, ms, printTitle, type Row } from './report.ts'

/**
 * Measures what a loop itself takes: the time in which no session works for it, and the time that it
 * spends on events. The agent is the demo, with a run of about half a second: a short one is the worst case.
 */
export const runLoopOverhead = async (options: BenchOptions): Promise<Row[]> => {
  const rounds = options.rounds(5)
  const iterations = Math.max(3, Math.round(20 * options.scale))
  printTitle(
    'loop',
    `a loop of ${iterations} iterations with the demo; ${rounds} rounds, wall clock`,
  )
  const shares: number[] = []
  let details = ''
  for (let round = 0; round < rounds; round += 1) {
    const { ownMs, agentMs } = await measureLoop(options.directory, iterations)
    shares.push((100 * ownMs) / agentMs)
    details = `${ms(ownMs / iterations)} of ${ms(agentMs / iterations)} per iteration in the last round`
  }
  return [medianAtMost('loop: its own share of an iteration', 1, '%', shares, details)]
}

const measureLoop = async (parent: string, iterations: number) => {
  const directory = mkdtempSync(join(parent, 'loop-'))
  const log = await openSqliteLog(join(directory, 'data'))
  const clock = createClock()
  const onError = (cause: unknown): never => {
    throw cause
  }
  const sessions = await openSessions({
    log,
    onError,
    policy: 'allow',
    findProgram: () => process.execPath,
    env: { ...process.env, SLUICE_DEMO_PACE: '3' },
    publish: (event) => clock.addOwn(() => loops.onEvent(event)),
  })
  const loops = createLoops({
    ...{ log, onError, runner: 'server', now: Date.now },
    sessions: timedSessions(sessions, clock),
  })
  try {
    const began = performance.now()
    const { id } = await loops.create({
      ...{ agent: 'demo', cwd: directory, prompt: 'Hello' },
      limits: { maxIterations: iterations, maxStale: iterations + 1 },
    })
    const loop = await loops.settled(id)
    const total = performance.now() - began
    if (loop?.end?.reason !== 'max_iterations') throw new Error('the loop ended too early')
    return { ownMs: total - clock.sessionMs() + clock.ownMs(), agentMs: loop.durationMs }
  } finally {
    await sessions.close()
    await log.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

type Clock = ReturnType<typeof createClock>

/** Adds up the time in which sessions work, and that of our own code inside it. */
const createClock = () => {
  let sessions = 0
  let own = 0
  return {
    sessionMs: () => sessions,
    ownMs: () => own,
    addOwn(run: () => void): void {
      const began = performance.now()
      run()
      own += performance.now() - began
    },
    async during<Result>(work: Promise<Result>): Promise<Result> {
      const began = performance.now()
      return work.finally(() => {
        sessions += performance.now() - began
      })
    },
  }
}

/** Sessions whose calls are timed. */
const timedSessions = (
  { create, get }: LoopsOptions['sessions'],
  { during }: Clock,
): LoopsOptions['sessions'] => ({
  get,
  async create(wanted) {
    const { record, session } = await during(create(wanted))
    const timed: Session = {
      ...session,
      prompt: (text, sender) => during(session.prompt(text, sender)),
      idle: () => during(session.idle()),
      stop: (reason) => during(session.stop(reason)),
    }
    return { record, session: timed }
  },
})
