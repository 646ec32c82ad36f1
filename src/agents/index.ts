import type { Agent } from './agent.ts'
import { claude } from './claude/index.ts'
import { demo } from './demo/index.ts'
import type { AgentName } from './load.ts'
import { pi } from './pi/index.ts'

/** Every agent that Sluice can read. */
export const agents = { pi, claude, demo } satisfies Record<AgentName, Agent>

export type * from './agent.ts'
export type * from './live.ts'
export * from './load.ts'
export * from './stream.ts'
