import { readFileSync } from 'node:fs'
import { descendantsOf } from './descendants.ts'

/** When a process began, as the system counts; undefined when there is none. Pids are used again. */
export const startTimeOf = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : Number(fields[19])
  } catch {
    return undefined
  }
}

/** Ends an agent that outlived its server, with everything below it. True when there was one. */
export const endOrphan = (pid: number, startedAt: number): boolean => {
  if (startTimeOf(pid) !== startedAt) return false
  for (const each of [...descendantsOf(pid), pid]) {
    try {
      process.kill(each, 'SIGKILL')
    } catch {
      // Already gone.
    }
  }
  return true
}
