/** A process of an agent that this process has started. */
export interface RunningAgent {
  pid: number
  /** The tag in its environment and in that of everything that it starts. */
  tag: string | undefined
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
}
