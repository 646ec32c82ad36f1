import { setTimeout as pause } from 'node:timers/promises'
import { type ProcessRow, processTable, sendSignal } from './process-table.ts'

/** How to recognise the processes of an agent. */
export interface AgentProcesses {
  /** Whether a mark is one of the agent’s. */
  hasMark(mark: number): boolean
  /** Processes that were seen below the agent, and the agent itself, by pid with their start time. */
  known: ReadonlyMap<number, number>
  /** When the agent started: older processes are not looked at for a mark. */
  since?: number | undefined
}

/**
 * The running processes of an agent: those with its mark, those that were seen below it, those in the
 * process groups of these, and everything below any of them. Never this process or one above it.
 */
export const findAgentProcesses = (
  { hasMark, known, since = 0 }: AgentProcesses,
  rows = processTable.rows(),
): ProcessRow[] => {
  const byPid = new Map(rows.map((row) => [row.pid, row]))
  const spared = selfAndAncestors(byPid)
  const isKnown = ({ pid, startedAt }: ProcessRow): boolean => {
    const knownStart = known.get(pid)
    return knownStart !== undefined && processTable.isSameStart(startedAt, knownStart)
  }
  const isInKnownGroup = ({ group, startedAt }: ProcessRow): boolean => {
    const groupStart = known.get(group)
    if (groupStart === undefined || !isNotBefore(startedAt, groupStart)) return false
    // A pid is not used again as long as a group has its number.
    const leader = byPid.get(group)
    return leader === undefined || isKnown(leader)
  }
  const isMarked = (row: ProcessRow): boolean => {
    const mark = isNotBefore(row.startedAt, since) ? row.mark() : undefined
    return mark !== undefined && hasMark(mark)
  }
  const found = rows.filter((row) => isKnown(row) || isInKnownGroup(row) || isMarked(row))
  return withDescendants(found, rows, spared).filter(({ isEnded }) => !isEnded)
}

const isNotBefore = (startedAt: number, other: number): boolean =>
  startedAt >= other || processTable.isSameStart(startedAt, other)

/** The processes with everything below them, except what is spared and below that. */
const withDescendants = (
  roots: readonly ProcessRow[],
  rows: readonly ProcessRow[],
  spared: ReadonlySet<number>,
): ProcessRow[] => {
  const children = Map.groupBy(rows, ({ parent }) => parent)
  const found = new Set(roots.filter(({ pid }) => !spared.has(pid)))
  // The set grows while it is read, until the last generation has no children.
  for (const { pid } of found)
    for (const child of children.get(pid) ?? []) if (!spared.has(child.pid)) found.add(child)
  return [...found]
}

/** An agent may have started this very process: it would have the mark too. */
const selfAndAncestors = (byPid: ReadonlyMap<number, ProcessRow>): Set<number> => {
  const pids = new Set([1])
  for (let pid: number | undefined = process.pid; pid !== undefined && !pids.has(pid); ) {
    pids.add(pid)
    pid = byPid.get(pid)?.parent
  }
  return pids
}

/** Kills the processes of an agent that are found now, and returns them. */
const killFound = (agent: AgentProcesses): ProcessRow[] => {
  const found = findAgentProcesses(agent)
  for (const { pid } of found) sendSignal(pid, 'SIGKILL')
  return found
}

const rounds = 3

/**
 * Kills the processes of an agent, without waiting for their end. A process may start another one
 * while it is being killed, so they are looked for a few times.
 */
export const killAgentProcesses = (agent: AgentProcesses): void => {
  for (let round = 0; round < rounds; round += 1) if (killFound(agent).length === 0) return
}

/** How long processes may take to end after SIGKILL. One that waits for a broken disk does not end. */
const endMs = 1000

/**
 * Kills the processes of an agent until none is left. Returns those that are still there after a
 * second.
 */
export const endAgentProcesses = async (agent: AgentProcesses): Promise<ProcessRow[]> => {
  const until = performance.now() + endMs
  for (let waitMs = 5; ; waitMs *= 2) {
    const left = killFound(agent)
    if (left.length === 0 || performance.now() > until) return left
    await pause(waitMs)
  }
}
