import { environmentVariable, listPids, parentOf, sendSignal } from './proc.ts'

/** The environment variable that names the session of an agent and of everything it starts. */
export const sessionVariable = 'AGENT_SESSION_TAG'
/** The environment variable that identifies one of the agent processes of a session. */
export const processVariable = 'AGENT_PROCESS_TAG'

/** A process may start another one while it is being killed, so the search is repeated a few times. */
const rounds = 3
/** On a machine with very many processes, those not found by then are left running. */
const maxSearchMs = 500

/**
 * Kills every process whose environment has one of these values, whatever its parent is by now: tools
 * have process groups of their own and outlive an agent that dies. Does nothing where /proc does not
 * exist, and cannot find processes that cleared their environment.
 */
export const killTagged = (variable: string, values: ReadonlySet<string>): void => {
  const until = performance.now() + maxSearchMs
  const spared = selfAndAncestors()
  for (let round = 0; round < rounds; round += 1) {
    const found = findTagged(variable, values, until).filter((pid) => !spared.has(pid))
    if (found.length === 0) return
    for (const pid of found) sendSignal(pid, 'SIGKILL')
  }
}

const findTagged = (variable: string, values: ReadonlySet<string>, until: number): number[] => {
  const found: number[] = []
  // The youngest first: they mostly have the highest pids.
  for (const pid of listPids().sort((left, right) => right - left)) {
    if (performance.now() > until) return found
    const value = environmentVariable(pid, variable)
    if (value !== undefined && values.has(value)) found.push(pid)
  }
  return found
}

/** An agent may have started this very process: it would have the tag too. */
const selfAndAncestors = (): ReadonlySet<number> => {
  const pids = new Set<number>()
  for (let pid: number | undefined = process.pid; pid !== undefined && pid > 0; ) {
    if (pids.has(pid)) break
    pids.add(pid)
    pid = parentOf(pid)
  }
  return pids
}
