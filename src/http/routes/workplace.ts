import type { Access } from '../../auth/auth.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'
import { apiBase } from '../endpoints.ts'
import { requireProject } from './projects.ts'

/**
 * The directory in which an agent is to work for a caller. Throws a `Problem` if there is no such
 * project, the agent is not installed, the directory is not below a root, or the disk quota is used up.
 */
export const requireWorkplace = async (
  app: AppContext,
  access: Access,
  { projectId, agent }: { projectId: string; agent: string },
): Promise<string> => {
  const project = await requireProject(app.log, projectId)
  // Resolved again: since the project was created, the path may have become a link elsewhere.
  const directory = await app.roots.resolve(project.path)
  if (!(await app.agents.isInstalled(agent, directory)))
    throw new Problem(
      422,
      'agent_not_installed',
      `The agent "${agent}" is not installed. GET ${apiBase}/agents lists the installed ones.`,
    )
  await app.quotas.checkDisk(access)
  return directory
}
