import { readdirSync, readFileSync } from 'node:fs'

/** All processes of this machine; none where /proc does not exist. */
export const listPids = (): number[] => {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    return []
  }
}

/** The parent of a process; undefined when the process does not exist. */
export const parentOf = (pid: number): number | undefined => {
  const parent = statOf(pid)?.[1]
  return parent === undefined ? undefined : Number(parent)
}

/**
 * The processes that a process has started, by any of its threads, and that still run. Reads less than
 * a search for everything that has this parent.
 */
export const childrenOf = (pid: number): number[] =>
  threadsOf(pid).flatMap((thread) => {
    try {
      const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
      return children.split(' ').flatMap((child) => (child === '' ? [] : [Number(child)]))
    } catch {
      return [] // this thread has ended
    }
  })

const threadsOf = (pid: number): string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/**
 * When a process started, in the system’s own unit; undefined when it has ended. A pid can be reused:
 * only pid and start time together identify a process.
 */
export const startTimeOf = (pid: number): number | undefined => {
  const stat = statOf(pid)
  return stat === undefined || stat[0] === 'Z' ? undefined : Number(stat[19])
}

/** A variable of the environment that a process was started with, if we may read it. */
export const environmentVariable = (pid: number, name: string): string | undefined => {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`
    const at = environment.indexOf(`\0${name}=`)
    if (at < 0) return undefined
    const from = at + name.length + 2
    const end = environment.indexOf('\0', from)
    return environment.slice(from, end < 0 ? undefined : end)
  } catch {
    return undefined
  }
}

/**
 * Sends a signal to a process, or to a group if the number is negative. Returns false if there is no
 * such process.
 */
export const sendSignal = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** The fields of /proc/<pid>/stat from the state on: the name before it may contain anything. */
const statOf = (pid: number): string[] | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
