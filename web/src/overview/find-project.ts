import type { Project, ProjectTrust } from '../../../src/api/index.ts'
import type { Client } from '../../../src/client/index.ts'
import { needsDecision } from '../trust/needs-decision.ts'
import { newDirectory } from './project-choice.tsx'

/** The chosen project. A directory that is not a project yet becomes one. */
export const findProject = async (
  client: Client,
  projectId: string,
  typedPath: string,
): Promise<Project> => {
  if (projectId !== newDirectory) return client.projects.get(projectId)
  const path = typedPath.trim()
  return client.projects.create({ name: lastPart(path), path })
}

/** What a person must decide about the files of a project before an agent works in it. */
export const openTrustQuestion = async (
  client: Client,
  project: Project,
  agent: string,
): Promise<ProjectTrust | undefined> => {
  // Who may not ask starts without the files.
  const trust = await client.trust.get(project.path).catch(() => undefined)
  return trust && needsDecision(trust, agent) ? trust : undefined
}

const lastPart = (path: string): string =>
  path.split('/').findLast((part) => part.trim() !== '') ?? 'project'
