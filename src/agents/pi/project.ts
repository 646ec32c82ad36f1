import type { ProjectStart, ProjectToStart } from '../agent.ts'
import { isAtLeast } from '../version.ts'

/**
 * Pi 0.79 and later load a project’s files only with `--approve`. Earlier versions load them unasked.
 * They can leave out extensions, skills and prompts, and the user’s own with them, but not settings:
 * those can name a program that Pi runs when it starts, and the shell of every command.
 */
export const startPiInProject = ({ isTrusted, version, paths }: ProjectToStart): ProjectStart => {
  if (version !== null && isAtLeast(version, '0.79.0'))
    return { args: [isTrusted ? '--approve' : '--no-approve'] }
  if (isTrusted) return { args: [] }
  if (paths.includes('.pi/settings.json'))
    return {
      args: [],
      refusal: `${version === null ? 'This Pi' : `Pi ${version}`} cannot start without .pi/settings.json of this directory. Update Pi to 0.79 or later, or trust the directory.`,
    }
  return { args: ['--no-extensions', '--no-skills', '--no-prompt-templates'] }
}
