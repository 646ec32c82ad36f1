import type { Agent, AgentEntry } from './agent.ts'
import { claudeEntry } from './claude/entry.ts'
import { demoEntry } from './demo/entry.ts'
import { piEntry } from './pi/entry.ts'

/** Every agent that Sluice can read. A new agent is a folder and its line here. */
export const agents = {
  pi: piEntry,
  claude: claudeEntry,
  demo: demoEntry,
} as const satisfies Record<string, AgentEntry>

export type AgentName = keyof typeof agents

export const agentNames: readonly string[] = Object.keys(agents)

/** Whether there is an agent of that name. */
export const isAgentName = (name: string): name is AgentName => Object.hasOwn(agents, name)

/** Loads one agent: a program that reads one kind of stream loads one decoder. */
export const loadAgent = (name: AgentName): Promise<Agent> => agents[name].load()
