import { existsSync } from 'node:fs'
import type { LoopInfo } from '../../events/types.ts'
import { terminalActor } from '../../log/auditor.ts'
import { loopInfoOf } from '../../log/loop-info.ts'
import { databaseFile } from '../../log/sqlite/open-database.ts'
import { openSqliteLog } from '../../log/sqlite/sqlite-log.ts'
import { createLoops } from '../../loop/runner/create-loops.ts'
import { Fault } from '../../shared/fault.ts'
import { asDataFault } from '../../sluice/open-log.ts'
import { printError } from '../terminal.ts'
import type { LoopHost } from './loop-host.ts'

/** Reads and changes the loops of a data directory that no process has open. None of them runs. */
export const withStoredLoops = async <Result>(
  data: string,
  use: (host: Pick<LoopHost, 'list' | 'pause' | 'stop'>) => Promise<Result>,
): Promise<Result> => {
  // To open a log is to create it.
  if (!existsSync(databaseFile(data))) return use(noLoops(data))
  const log = await asDataFault(openSqliteLog(data))
  const loops = createLoops({
    ...{ log, now: Date.now, runner: 'terminal' },
    sessions: { create: noSession, get: noSession },
    onError: (cause) => printError(String(cause)),
    defaultActor: terminalActor,
  })
  try {
    return await use({
      list: async () => (await loops.list()).map(loopInfoOf).map(interrupted),
      pause: async (id) => loopInfoOf(await loops.pause(id)),
      stop: async (id) => loopInfoOf(await loops.stop(id)),
    })
  } finally {
    await log.close()
  }
}

const noLoops = (data: string): Pick<LoopHost, 'list' | 'pause' | 'stop'> => {
  const refuse = () =>
    Promise.reject(
      new Fault('data_not_opened', `There is no log in ${data}. Name another with --data.`),
    )
  return { list: async () => [], pause: refuse, stop: refuse }
}

const noSession = (): Promise<never> => Promise.reject(new Error('No loop runs here.'))

/** No process runs it: its program was killed. */
const interrupted = (loop: LoopInfo): LoopInfo =>
  loop.state === 'running' || loop.state === 'waiting'
    ? { ...loop, state: 'paused', pauseReason: 'Its program was ended.' }
    : loop
