import { homedir } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import type { ApprovalMode, LoopInfo, StampedEvent } from '../../events/types.ts'
import { loopInfoOf } from '../../log/loop-info.ts'
import type { LoopRecord } from '../../log/types.ts'
import type { SandboxMode } from '../../process/sandbox.ts'
import { defined } from '../../shared/fields.ts'
import { openSluice, type Sluice } from '../../sluice/sluice.ts'
import { sandboxWarning } from '../sandbox-line.ts'
import { printRawError } from '../terminal.ts'
import { isSettled, type LoopHost } from './loop-host.ts'
import type { LoopView } from './loop-view.ts'

export interface LocalLoopsOptions {
  data: string
  approve: ApprovalMode
  sandbox: SandboxMode
}

/**
 * Runs loops in this process. It also serves the data directory on a free port, so that other terminals
 * can steer, pause and stop them, and answer approvals.
 */
export const openLocalLoops = async ({
  data,
  approve,
  sandbox,
}: LocalLoopsOptions): Promise<LoopHost> => {
  let shown: { loop: LoopInfo; view: LoopView } | undefined
  const showLoop = (loop: LoopInfo): void => {
    if (loop.id !== shown?.loop.id) return
    shown.loop = loop
    shown.view.update(loop)
  }
  const showEvent = (event: StampedEvent): void => {
    const sessions = shown?.loop.iterations ?? []
    if (sessions.some(({ sessionId }) => sessionId === event.sessionId)) shown?.view.event(event)
  }
  // Another terminal can send messages to agents only below these directories.
  const roots = [homedir(), process.cwd()]
  const sluice = await openSluice({
    ...{ data, sandbox, roots, policy: approve, name: 'terminal', resumeLoops: false },
    onLoop: showLoop,
    onEvent: showEvent,
    http: { host: '127.0.0.1', port: 0 },
  })
  printRawError(sandboxWarning(sandbox, sluice.sandbox))
  const { loops } = sluice
  const shownTo = async (record: Promise<LoopRecord>): Promise<LoopInfo> => loopInfoOf(await record)

  return {
    isServer: false,
    create: (wanted) => shownTo(loops.create(defined(wanted))),
    list: async () => (await loops.list()).map(loopInfoOf),
    change: (id, change) => shownTo(loops.change(id, change)),
    pause: (id, abort) => shownTo(loops.pause(id, { abort })),
    resume: (id) => shownTo(loops.resume(id)),
    stop: (id) => shownTo(loops.stop(id)),
    async follow(loop, view) {
      shown = { loop, view }
      roots.push(loop.cwd)
      const current = await loops.get(loop.id)
      if (current) showLoop(loopInfoOf(current))
      const last = await loops.settled(loop.id)
      return last ? loopInfoOf(last) : loop
    },
    othersDone: (onWait) => othersDone(sluice, onWait),
    kill: sluice.kill,
    close: sluice.close,
  }
}

/** Loops and runs that other terminals have started in this process. */
const othersDone = async (
  { loops, sessions }: Pick<Sluice, 'loops' | 'sessions'>,
  onWait: () => void,
): Promise<void> => {
  const others = (await loops.list()).filter((loop) => !isSettled(loop))
  const done = Promise.all(others.map(({ id }) => loops.settled(id))).then(() => sessions.idle())
  const isDone = await Promise.race([done.then(() => true), setImmediate(false)])
  if (!isDone) onWait()
  await done
}
