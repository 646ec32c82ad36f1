import { endAgentProcesses, findAgentProcesses } from './agent-processes.ts'
import { keyOfMark } from './process-marks.ts'
import { hasProc, type ProcessRow } from './process-table.ts'

/** Agents that a server left behind. */
export interface Orphans {
  /** The key of the marks that the server gave to its agents. */
  markKey?: number | undefined
  /** The agents that ran when the server last wrote that down, by pid with their start time. */
  agents: ReadonlyMap<number, number>
}

/**
 * Kills agents that outlived their server, with everything that they started. Returns the processes
 * that did not end.
 */
export const killOrphans = ({ markKey, agents }: Orphans): Promise<ProcessRow[]> =>
  endAgentProcesses({
    hasMark: (mark) => keyOfMark(mark) === markKey,
    known: hasProc ? stillMarked(markKey, agents) : agents,
  })

/**
 * The agents that can be recognised by pid and start time. The start times of Linux count from the
 * start of the machine, so after a reboot another program can have both. An agent has a mark, too;
 * and where the server’s key is known, the mark alone is enough.
 */
const stillMarked = (
  markKey: number | undefined,
  agents: Orphans['agents'],
): ReadonlyMap<number, number> => {
  if (markKey !== undefined || agents.size === 0) return new Map()
  const running = findAgentProcesses({ hasMark: () => false, known: agents })
  const marked = new Set(running.flatMap(({ pid, mark }) => (mark() === undefined ? [] : pid)))
  return new Map([...agents].filter(([pid]) => marked.has(pid)))
}
