import { useAgents } from './use-agents.ts'

/** What has an agent: a session, a loop, or a file of a project. */
interface OfAgent {
  readonly agent: string
  /** The title, if the agent is not one that comes with Sluice. */
  readonly agentTitle?: string | undefined
}

/** What people call an agent; its name until the agents are loaded. */
export const useAgentTitle = (): ((of: OfAgent) => string) => {
  const agents = useAgents()
  return ({ agent, agentTitle }) =>
    agentTitle ?? agents?.find(({ name }) => name === agent)?.title ?? agent
}
