import type { ProjectStart, ProjectToStart } from '../agent.ts'
import { isAtLeast } from '../version.ts'

/**
 * Over ACP, Copilot runs the hooks of every project, and no flag leaves them out. A single prompt runs
 * them only in a directory that it trusts, but skills, agents and commands are loaded everywhere.
 */
export const startCopilotInProject = (project: ProjectToStart): ProjectStart => {
  const { isTrusted, isOneShot, version } = project
  if (!isTrusted)
    return {
      args: [],
      refusal:
        'GitHub Copilot cannot start without the hooks, skills and agents of this project. Trust this directory first.',
    }
  const hasFlag = version !== null && isAtLeast(version, '1.0.102')
  return { args: isOneShot && hasFlag ? ['--trust-folder'] : [] }
}
