import { type AgentProcesses, findAgentProcesses, killAgentProcesses } from './agent-processes.ts'
import { canMark } from './process-marks.ts'
import { type ProcessRow, processTable } from './process-table.ts'

/** A process of an agent that this process has started. */
export interface RunningAgent extends AgentProcesses {
  pid: number
  /** Its mark was made with this key. */
  markKey: number
  /** Whether everything that it starts stays below it. */
  isSandboxed: boolean
}

const running = new Set<RunningAgent>()

/** The agents that this process has started and that still run. */
export const runningAgents = {
  /** Adds an agent; returns the function that removes it. */
  add(agent: RunningAgent): () => void {
    running.add(agent)
    return () => void running.delete(agent)
  },
  list: (): readonly RunningAgent[] => [...running],
  /** Kills the agents that have a mark of this key, with everything that they started. */
  kill(markKey: number): void {
    for (const agent of running) if (agent.markKey === markKey) killAgentProcesses(agent)
  },
  /** Kills all agents of this process. */
  killAll(): void {
    for (const agent of running) killAgentProcesses(agent)
  },
}

/** How often an agent that works is looked at. */
const lookMs = 2000
let looking: NodeJS.Timeout | undefined

/**
 * An agent has printed something, so it may have started processes. Where processes cannot be marked,
 * those below the agents are remembered soon: one that leaves its parent is found by this only. An
 * agent that prints nothing costs nothing.
 */
export const agentWorks = (): void => {
  if (looking !== undefined || canMark()) return
  looking = setTimeout(() => {
    void look().finally(() => {
      looking = undefined
    })
  }, lookMs)
  looking.unref()
}

const look = async (): Promise<void> => {
  const rows = await processTable.readRows()
  for (const agent of running) remember(agent, rows)
}

const remember = (agent: RunningAgent, rows?: ProcessRow[]): void => {
  const found = findAgentProcesses(agent, rows)
  agent.known = new Map(found.map(({ pid, startedAt }) => [pid, startedAt]))
}

/** The agent is about to get a signal: what it started may lose its parent then. */
export const beforeSignal = (agent: RunningAgent): void => {
  if (!canMark()) remember(agent)
}
