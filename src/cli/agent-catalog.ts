import type { Agent } from '../agents/agent.ts'
import { isAgentName, agents as table } from '../agents/index.ts'
import type { AgentInfo } from '../api/agent.ts'
import type { AgentCatalog } from '../server/world.ts'
import { findAgent } from '../session/find-agent.ts'
import { hintFor, rowOf } from './agents.ts'

/** Asking a program for its version takes a while, and it seldom changes. */
const keepMs = 60_000

/** The agents of this machine, for the server. */
export const createAgentCatalog = (now: () => number = Date.now): AgentCatalog => {
  let known: { at: number; agents: Promise<AgentInfo[]> } | undefined

  return {
    isInstalled: (name) => isAgentName(name) && findAgent(table[name]) !== undefined,
    async list() {
      if (!known || known.at < now() - keepMs)
        known = { at: now(), agents: Promise.all(Object.values(table).map(infoOf)) }
      return known.agents
    },
  }
}

const infoOf = async (agent: Agent): Promise<AgentInfo> => {
  const { path, version } = await rowOf(agent)
  const { name, title, isBuiltIn } = agent
  return {
    name,
    title,
    isInstalled: path !== null,
    ...(isBuiltIn && { isBuiltIn }),
    ...(version !== null && !isBuiltIn && { version }),
    ...(path === null && { hint: hintFor(agent) }),
  }
}
