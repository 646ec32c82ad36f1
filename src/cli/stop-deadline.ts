import { exitNow } from '../process/exit-now.ts'
import { runningAgents } from '../process/running-agents.ts'
import type { Sluice } from '../sluice/sluice.ts'
import { exitCodes } from './exit.ts'
import { openResources } from './exit-soon.ts'
import { printError } from './terminal.ts'

/** How long everything may take to close. Docker kills a container after ten seconds. */
const stopMs = 9000

/**
 * Ends this process, and the agents that it started, if it has not closed everything in time. The time
 * starts now.
 */
export const startStopDeadline = (sluice?: Sluice): void => {
  const timer = setTimeout(() => {
    printError(`did not stop within ${stopMs / 1000} seconds. ${whatIsOpen(sluice)}`)
    runningAgents.killAll()
    exitNow(exitCodes.failed)
  }, stopMs)
  timer.unref()
}

const whatIsOpen = (sluice: Sluice | undefined): string => {
  const pids = runningAgents.list().map(({ pid }) => pid)
  if (pids.length > 0) return `Agents did not end and are killed now: process ${pids.join(', ')}.`
  switch (sluice?.closing()) {
    case 'connections':
      return 'Connections of clients are still open.'
    case 'log':
      return 'The log is still being written. The last events may be missing.'
    default:
      return `Still open: ${openResources()}.`
  }
}
