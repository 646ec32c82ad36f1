import type { ProjectStart, ProjectToStart } from '../agent.ts'
import { isAtLeast } from '../version.ts'

/**
 * Without the project’s settings, Claude Code loads none of its hooks, MCP servers, agents, commands
 * and skills. It would not read `CLAUDE.md` either, which is only text: the variable brings it back.
 */
export const startClaudeInProject = ({ isTrusted, version }: ProjectToStart): ProjectStart => {
  if (isTrusted) return { args: [] }
  // An unknown version gets the arguments: a program without them exits at once.
  if (version !== null && !isAtLeast(version, '2.0.0'))
    return {
      args: [],
      refusal: `Claude Code ${version} cannot start without the settings of a project. Update Claude Code, or trust this directory.`,
    }
  return {
    args: ['--setting-sources', 'user', '--add-dir', '.'],
    env: { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1' },
  }
}
