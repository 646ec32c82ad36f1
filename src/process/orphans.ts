import { descendantsOf } from './descendants.ts'
import { sendSignal, startTimeOf } from './proc.ts'

/**
 * Kills an agent that outlived its server, with everything below it. Returns false and does nothing
 * when that process has ended, even if another one has its pid by now.
 */
export const killOrphan = (pid: number, startedAt: number): boolean => {
  if (startTimeOf(pid) !== startedAt) return false
  for (const each of [...descendantsOf(pid), pid]) sendSignal(each, 'SIGKILL')
  return true
}
