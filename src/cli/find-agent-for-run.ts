import { createAgentSource } from '../agent-config/agent-source.ts'
import type { Agent } from '../agents/agent.ts'
import { knownAgent, protocolAgent } from '../agents/known-agents.ts'
import { defaultData } from '../process/default-data.ts'
import { Fault } from '../shared/fault.ts'
import { agentOfCommand } from './acp-command.ts'
import { trustsAgentsOf } from './trust-question.ts'

export interface AgentForRun {
  agent: string
  cwd: string
  data?: string
  /** The person trusts the project, so that nothing is asked. */
  trustProject: boolean
  /** Words after `--`: for the agent `acp`, its command. */
  extra?: readonly string[]
}

/** The agent of a run in this process: of the table, of the data directory, or of the project. */
export const findAgentForRun = async (options: AgentForRun): Promise<Agent> => {
  const { agent, cwd, extra, data = defaultData(), trustProject: isTrusted } = options
  if (agent === protocolAgent && extra)
    return agentOfCommand(extra, { verb: 'run acp "…"', cwd }).load()
  const known = knownAgent(agent)
  if (known) return known.load()
  // One question, and no stored decision: without a log there is nowhere to store it.
  let trusts: Promise<boolean> | undefined
  const source = createAgentSource({
    data,
    async look(directory) {
      trusts ??= trustsAgentsOf({ cwd: directory, isTrusted })
      return { state: (await trusts) ? 'trusted' : 'undecided' }
    },
  })
  try {
    return await (await source.find(agent, cwd)).load()
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    if (cause.code === 'project_not_trusted')
      throw new Fault(cause.code, `${cause.message} For this run: --trust-project`, { cause })
    throw cause
  }
}
