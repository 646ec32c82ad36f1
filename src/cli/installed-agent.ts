import type { Agent } from '../agents/agent.ts'
import { notInstalled } from '../process/agent-catalog.ts'
import { findAgent } from '../process/find-agent.ts'

/** The path of an agent’s program. Throws a fault that says how to install it, if it is not there. */
export const installedProgram = (agent: Agent): string => {
  const program = findAgent(agent)
  if (program !== undefined) return program
  throw notInstalled(agent)
}
