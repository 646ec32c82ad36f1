import type { Agent, AgentDescription, AgentEntry, AgentOrigin, ProjectStart } from './agent.ts'
import { knownAgent, loadAgent, protocolAgent } from './known-agents.ts'

/** An agent that speaks ACP, as a person or a project describes it. */
export interface ConfiguredAgent {
  name: string
  title?: string | undefined
  /** The program and its arguments. */
  command: readonly [string, ...string[]]
  env?: Readonly<Record<string, string>> | undefined
  install?: string | undefined
  login?: string | undefined
  readsFilesOf?: string | undefined
}

/** The entry of a configured agent. It stands beside those of the table, and is driven over ACP. */
export const configuredEntry = (agent: ConfiguredAgent, origin: AgentOrigin): AgentEntry => {
  const description = descriptionOf(agent, origin)
  return { ...description, load: () => loadConfigured(description, agent.command.slice(1)) }
}

const descriptionOf = (agent: ConfiguredAgent, origin: AgentOrigin): AgentDescription => {
  const { name, title = name, command, env, install, login, readsFilesOf } = agent
  const protocol = knownAgent(protocolAgent)
  if (!protocol) throw new Error('The table has no agent that speaks ACP.')
  return {
    name,
    title,
    program: command[0],
    programVariable: `${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_BIN`,
    capabilities: protocol.capabilities,
    adapter: protocol.adapter,
    origin,
    ...(protocol.start && { start: protocol.start }),
    ...(env && { setEnv: env }),
    ...(install !== undefined && { install }),
    ...(login !== undefined && { login }),
    ...(readsFilesOf !== undefined && { readsFilesOf }),
  }
}

const loadConfigured = async (
  description: AgentDescription,
  args: readonly string[],
): Promise<Agent> => {
  const { name: agent, title, login } = description
  const [protocol, { createAcpDecoder }, { createAcpLive }] = await Promise.all([
    loadAgent(protocolAgent),
    import('./acp/decode.ts'),
    import('./acp/live.ts'),
  ])
  return {
    ...protocol,
    ...description,
    createDecoder: (options) => createAcpDecoder(options, agent),
    live: createAcpLive({ agent, title, login, args: ({ extra = [] }) => [...args, ...extra] }),
    ...(description.readsFilesOf !== undefined && {
      startInProject: ({ isTrusted }): ProjectStart => startWithFiles(description, isTrusted),
    }),
  }
}

/** An adapter passes no flag on that leaves out the files of the project. */
const startWithFiles = ({ title }: AgentDescription, isTrusted: boolean): ProjectStart =>
  isTrusted
    ? { args: [] }
    : {
        args: [],
        refusal: `${title} cannot start without the settings of the project. Trust the project first.`,
      }
