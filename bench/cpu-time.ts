import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** The CPU time that a process has used so far, in ms. */
export const cpuMs = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program comes before the last parenthesis, and may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}
