import type { Agent } from './agent.ts'

/** Each agent by its own module: a program that reads one stream loads one decoder. */
const loaders = {
  pi: async (): Promise<Agent> => (await import('./pi/index.ts')).pi,
  claude: async (): Promise<Agent> => (await import('./claude/index.ts')).claude,
  demo: async (): Promise<Agent> => (await import('./demo/index.ts')).demo,
}
export type AgentName = keyof typeof loaders

/** True when there is an agent of that name. */
export const isAgentName = (name: string): name is AgentName => Object.hasOwn(loaders, name)

export const agentNames: readonly string[] = Object.keys(loaders)

export const loadAgent = (name: AgentName): Promise<Agent> => loaders[name]()
