import { readFileSync } from 'node:fs'
import { hasProc, processTable } from './process-table.ts'

/** When a process began, as something else has noted it. */
export interface NotedStart {
  /** Field 22 of /proc/<pid>/stat, as text. */
  startTicks?: string | undefined
  /** A time at which it ran already, in ms since 1970. */
  startedBefore?: number | undefined
}

/** How far two clocks may be apart, in ms. */
const tolerance = 5000

/**
 * Whether a process still lives, and is the one that was noted: a pid can be used again. Undefined if
 * a process has this pid and nothing says whether it is the same one.
 */
export const isSameProcess = (
  pid: number,
  { startTicks, startedBefore }: NotedStart,
): boolean | undefined => {
  const started = processTable.startTimeOf(pid)
  if (started === undefined) return false
  if (hasProc && startTicks !== undefined) return startTicks === String(started)
  if (startedBefore === undefined) return undefined
  const startedAt = hasProc ? timeOfTicks(started) : started * 1000
  return startedAt === undefined ? undefined : startedAt <= startedBefore + tolerance
}

/** When a process started, in ms since 1970. Undefined if it has ended, or the system does not say. */
export const startOfProcess = (pid: number): number | undefined => {
  const started = processTable.startTimeOf(pid)
  if (started === undefined) return undefined
  return hasProc ? timeOfTicks(started) : started * 1000
}

/** /proc counts in hundredths of a second since the machine started. */
const timeOfTicks = (ticks: number): number | undefined => {
  try {
    const [seconds = ''] = readFileSync('/proc/uptime', 'latin1').split(' ')
    const time = Date.now() - Number(seconds) * 1000 + ticks * 10
    return Number.isFinite(time) ? time : undefined
  } catch {
    return undefined
  }
}
