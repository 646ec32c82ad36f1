import { Fault } from '../shared/fault.ts'
import type { Agent, AgentEntry } from './agent.ts'
import { agents } from './table.ts'

/** The agents of the table, in its order. */
export const knownAgents: readonly AgentEntry[] = Object.values(agents)

const byName: ReadonlyMap<string, AgentEntry> = new Map(
  knownAgents.map((entry) => [entry.name, entry]),
)

export const agentNames: readonly string[] = [...byName.keys()]

/** The entry of an agent in the table; undefined if there is none of that name. */
export const knownAgent = (name: string): AgentEntry | undefined => byName.get(name)

/** The agent of the table that speaks the protocol of all configured agents. */
export const protocolAgent = 'acp'

/**
 * The agent of the table that reads the streams and the calls of an agent. Agents that are not in the
 * table are configured ones.
 */
export const readerOfAgent = (name: string): AgentEntry | undefined =>
  knownAgent(name) ?? knownAgent(protocolAgent)

/** Whether there is an agent of that name in the table. */
export const isAgentName = (name: string): boolean => byName.has(name)

/** What people call an agent, or Sluice. An agent that is not in the table goes by its name. */
export const agentTitle = (name: string): string =>
  knownAgent(name)?.title ?? (name === 'sluice' ? 'Sluice' : name)

/** What people call the agent of a session. A configured agent has its title in the record. */
export const titleOfAgentIn = (session: {
  agent: string
  agentTitle?: string | undefined
}): string => session.agentTitle ?? agentTitle(session.agent)

/**
 * Loads one agent of the table: a program that reads one kind of stream loads one decoder. Rejects with
 * a `Fault` if there is no agent of that name.
 */
export const loadAgent = async (name: string): Promise<Agent> => {
  const entry = knownAgent(name)
  if (!entry) throw unknownAgent(name)
  return entry.load()
}

/** The fault about a name that no agent has. `problems` of agents.json may be why there is none. */
export const unknownAgent = (
  name: string,
  names: readonly string[] = agentNames,
  problems: readonly string[] = [],
): Fault =>
  new Fault(
    'agent_not_found',
    [`There is no agent “${name}”. Choose one of: ${names.join(', ')}.`, ...problems].join(' '),
  )

/** The agent that prints a stream. The stream has the agent’s name, or another name of its own. */
export const agentOfStream = (stream: string): string | undefined =>
  knownAgents.find(({ name, otherStreams }) => name === stream || otherStreams?.includes(stream))
    ?.name
