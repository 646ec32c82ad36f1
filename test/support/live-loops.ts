import { onTestFinished } from 'vitest'
import { openMemoryLog } from '../../src/log/index.ts'
import type { Log } from '../../src/log/log.ts'
import type { LoopRecord } from '../../src/log/types.ts'
import { createLoops } from '../../src/loop/runner/create-loops.ts'
import type { CreateLoopOptions, Loops, LoopsOptions } from '../../src/loop/runner/loops.ts'
import { openSessions } from '../../src/session/registry/open-sessions.ts'
import type { Sessions, SessionsOptions } from '../../src/session/registry/sessions.ts'

/** Loops over a log in memory, for real agents. */
export interface LiveLoops {
  log: Log
  sessions: Sessions
  loops: Loops
  /** The loops as they were published, oldest first. */
  published: LoopRecord[]
  /** Creates a loop and waits until it is paused or done. */
  run(options: Omit<CreateLoopOptions, 'agent' | 'cwd'>): Promise<LoopRecord>
}

export interface LiveLoopsOptions {
  agent: string
  cwd: string
  model?: string
  sessions?: Partial<SessionsOptions>
  loops?: Partial<LoopsOptions>
}

export const openLiveLoops = async (options: LiveLoopsOptions): Promise<LiveLoops> => {
  const { agent, cwd, model } = options
  const log = await openMemoryLog()
  const published: LoopRecord[] = []
  const onError = (cause: unknown) => {
    throw cause
  }
  const sessions = await openSessions({
    log,
    policy: 'allow',
    publish: (event) => loops.onEvent(event),
    ...options.sessions,
  })
  const loops = createLoops({
    ...{ log, sessions, runner: 'server', now: Date.now, onError },
    onLoop: (loop) => published.push(loop),
    ...options.loops,
  })
  onTestFinished(async () => {
    const closed = loops.close()
    await sessions.close()
    await closed
  })
  return {
    ...{ log, sessions, loops, published },
    async run(wanted) {
      const { id } = await loops.create({ agent, cwd, model, ...wanted })
      const done = await loops.settled(id)
      if (!done) throw new Error('the loop is gone')
      return done
    },
  }
}
