import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEntry, AgentOrigin } from '../agents/agent.ts'
import { type ConfiguredAgent, configuredEntry } from '../agents/configured-agent.ts'
import { knownAgent, knownAgents, protocolAgent, unknownAgent } from '../agents/known-agents.ts'
import { presets } from '../agents/presets.ts'
import type { ProjectTrust } from '../api/types.ts'
import { findAgent } from '../process/find-agent.ts'
import { Fault } from '../shared/fault.ts'
import { projectAgentFiles } from '../trust/project-readers.ts'
import { readAgentsFile } from './agents-file.ts'

/** The agents that sessions can use: those of the table, of the data directory, and of projects. */
export interface AgentSource {
  /** The agents for a directory; without one, those for every directory. */
  list(directory?: string): Promise<FoundAgents>
  /** Finds an agent by name. Rejects with a `Fault` that says what to do if there is none. */
  find(name: string, directory?: string): Promise<AgentEntry>
}

export interface FoundAgents {
  agents: AgentEntry[]
  /** What is wrong with files, and what must be trusted first, for people. */
  problems: string[]
}

export interface AgentSourceOptions {
  /** The data directory, which may hold an `agents.json`. */
  data?: string | undefined
  /** What a person decided about a directory. Without it, the agents of projects are not used. */
  look?(directory: string): Promise<Pick<ProjectTrust, 'state' | 'hash'>>
  env?: NodeJS.ProcessEnv | undefined
  /** The agent `acp`, if a person gave its command. */
  acp?: AgentEntry | undefined
}

export const createAgentSource = (options: AgentSourceOptions = {}): AgentSource => {
  const { data, look, env, acp } = options

  /** Read again each time: people edit the file while a server runs. */
  const everywhere = (): FoundAgents => {
    const choice: FoundAgents = { agents: [...knownAgents], problems: [] }
    const own = data === undefined ? { agents: [] } : readAgentsFile(join(data, 'agents.json'))
    add(choice, own.agents, 'user')
    if (own.problem !== undefined) choice.problems.push(own.problem)
    if (!knownAgent(protocolAgent)) return choice
    for (const preset of presets) {
      const entry = configuredEntry(preset, 'preset')
      const isTaken = choice.agents.some(({ name }) => name === entry.name)
      if (!isTaken && findAgent(entry, env)) choice.agents.push(entry)
    }
    return choice
  }

  const list = async (directory?: string): Promise<FoundAgents> => {
    const choice = everywhere()
    const path = directory === undefined ? undefined : agentsFileIn(directory)
    if (directory === undefined || path === undefined || !look) return choice
    const before = await look(directory)
    const { agents, problem } = readAgentsFile(path)
    // The file must be the one that a person saw: an agent could replace it in between.
    const { state, hash } = await look(directory)
    if (state !== 'trusted' || before.hash !== hash) {
      choice.problems.push(untrusted(path, agents))
      return choice
    }
    add(choice, agents, 'project')
    if (problem !== undefined) choice.problems.push(problem)
    return choice
  }

  return {
    list,
    async find(name, directory) {
      const known = name === protocolAgent && acp ? acp : knownAgent(name)
      if (known) return known
      const { agents, problems } = await list(directory)
      const found = agents.find((agent) => agent.name === name)
      if (found) return found
      const path = directory === undefined ? undefined : agentsFileIn(directory)
      const isOfProject =
        path !== undefined && readAgentsFile(path).agents.some((agent) => agent.name === name)
      if (isOfProject) throw notTrusted(name, path)
      const preset = presets.find((each) => each.name === name)
      if (preset) return configuredEntry(preset, 'preset')
      throw unknownAgent(
        name,
        agents.map((agent) => agent.name),
        problems,
      )
    },
  }
}

/** The file of a project that names agents; undefined if it has none. */
const agentsFileIn = (directory: string): string | undefined =>
  projectAgentFiles.map((file) => join(directory, file)).find((path) => existsSync(path))

/** Adds agents, except those whose name is taken. */
const add = (
  { agents, problems }: FoundAgents,
  added: readonly ConfiguredAgent[],
  origin: AgentOrigin,
): void => {
  for (const agent of added)
    if (agents.some(({ name }) => name === agent.name))
      problems.push(`There is another agent “${agent.name}”, so that of agents.json is not used.`)
    else agents.push(configuredEntry(agent, origin))
}

const untrusted = (path: string, agents: readonly ConfiguredAgent[]): string => {
  const names = agents.map(({ name }) => name).join(', ')
  return `The project names agents${names === '' ? '' : ` (${names})`} in ${path}. They can be used after you trust the project.`
}

const notTrusted = (name: string, path: string): Fault =>
  new Fault(
    'project_not_trusted',
    `The agent “${name}” comes from ${path}, which names a program. Trust the project to use it.`,
  )
