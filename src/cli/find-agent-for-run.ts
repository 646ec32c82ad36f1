import { createAgentSource } from '../agent-config/agent-source.ts'
import type { Agent } from '../agents/agent.ts'
import { knownAgent, protocolAgent } from '../agents/known-agents.ts'
import { defaultData } from '../process/default-data.ts'
import { Fault } from '../shared/fault.ts'
import { trustsAgentsOf } from './trust-question.ts'

export interface AgentForRun {
  agent: string
  cwd: string
  data?: string
  /** The person trusts the project, so that nothing is asked. */
  trustProject: boolean
}

/** The agent of a run in this process: of the table, of the data directory, or of the project. */
export const findAgentForRun = async (options: AgentForRun): Promise<Agent> => {
  const { agent, cwd, data = defaultData(), trustProject: isTrusted } = options
  const known = knownAgent(agent)
  if (known) return oneShot(await known.load())
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
    return oneShot(await (await source.find(agent, cwd)).load())
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    if (cause.code === 'project_not_trusted')
      throw new Fault(cause.code, `${cause.message} For this run: --trust-project`, { cause })
    throw cause
  }
}

/** An agent that speaks ACP holds sessions only: without one, nobody would answer it. */
const oneShot = (agent: Agent): Agent => {
  const { name, title, adapter } = agent
  if (adapter !== protocolAgent) return agent
  const advice =
    name === protocolAgent
      ? 'Describe it in an agents.json with its command, and use its name with `sluice chat`.'
      : `Use \`sluice chat ${name}\`, or start a server with \`sluice serve\`.`
  throw new Fault('usage', `${title} cannot run a single prompt without a session. ${advice}`)
}
