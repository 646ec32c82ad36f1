import type { AgentDescription } from '../agents/agent.ts'
import { knownAgents } from '../agents/known-agents.ts'

/** Who loads files of a project. */
export type ProjectReader = Pick<AgentDescription, 'name' | 'projectPaths'>

/** The files of a project that can name agents, which are programs. The first one that exists counts. */
export const projectAgentFiles = ['.sluice/agents.json', 'agents.json'] as const

/** Sluice itself: it starts the agents that a project names. */
export const sluiceReader: ProjectReader = {
  name: 'sluice',
  projectPaths: projectAgentFiles.map((path) => ({ path, kind: 'settings' })),
}

/** Everybody who loads files of a project: the agents, and Sluice. */
export const projectReaders: readonly ProjectReader[] = [...knownAgents, sluiceReader]
