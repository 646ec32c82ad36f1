import type { Agent } from './agent.ts'
import { claude } from './claude/index.ts'
import { demo } from './demo/index.ts'
import { pi } from './pi/index.ts'

/** Every agent that Sluice can read. */
export const agents = { pi, claude, demo } satisfies Record<string, Agent>
export type AgentName = keyof typeof agents

/** True when the name is one of the table’s. */
export const isAgentName = (name: string): name is AgentName => Object.hasOwn(agents, name)

export type * from './agent.ts'
export type * from './live.ts'
export * from './stream.ts'
