import { readdirSync, readFileSync } from 'node:fs'
import { parentOf } from './descendants.ts'

/** Tells an agent, and all that it starts, which session it works for. */
export const sessionVariable = 'SLUICE_SESSION'
/** Tells the processes of one agent from those of the next of the same session. */
export const processVariable = 'SLUICE_PROCESS'

/** What is ended may just be starting something: looked at again, but not for ever. */
const rounds = 3
/** On a machine with very many processes the rest is let be. */
const longestMs = 500

/**
 * Ends every process that was started with one of these values in its environment, whoever its
 * parent is by now: tools have process groups of their own and outlive an agent that dies. Nothing
 * happens where /proc does not exist. What a process has cleared from its environment is not found.
 */
export const killTagged = (variable: string, values: ReadonlySet<string>): void => {
  const until = performance.now() + longestMs
  const spared = ourselves()
  for (let round = 0; round < rounds; round += 1) {
    const found = marked(variable, values, until).filter((pid) => !spared.has(pid))
    if (found.length === 0) return
    for (const pid of found) end(pid)
  }
}

const marked = (variable: string, values: ReadonlySet<string>, until: number): number[] => {
  const found: number[] = []
  // The youngest first: they have the highest numbers.
  for (const pid of pids().sort((left, right) => right - left)) {
    if (performance.now() > until) return found
    const value = variableOf(pid, variable)
    if (value !== undefined && values.has(value)) found.push(pid)
  }
  return found
}

const pids = (): number[] => {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    return []
  }
}

/** A variable of the environment that a process was started with, if we may read it. */
const variableOf = (pid: number, variable: string): string | undefined => {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`
    const at = environment.indexOf(`\0${variable}=`)
    if (at < 0) return undefined
    const from = at + variable.length + 2
    const end = environment.indexOf('\0', from)
    return environment.slice(from, end < 0 ? undefined : end)
  } catch {
    return undefined
  }
}

/** We may have been started by an agent ourselves. */
const ourselves = (): ReadonlySet<number> => {
  const above = new Set<number>()
  for (let pid: number | undefined = process.pid; pid !== undefined && pid > 0; ) {
    if (above.has(pid)) break
    above.add(pid)
    pid = parentOf(String(pid))
  }
  return above
}

const end = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}
