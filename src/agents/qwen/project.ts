import type { ProjectStart, ProjectToStart } from '../agent.ts'

/**
 * No flag of Qwen Code leaves out only the files of a project. With `--safe-mode` it still takes the
 * address of the model from `.env` and from the settings, and sends telemetry where they say. `--bare`
 * ignores all of them, but also the person’s own settings, with the rules for what is denied.
 */
export const startQwenInProject = ({ isTrusted }: ProjectToStart): ProjectStart =>
  isTrusted
    ? { args: [] }
    : {
        args: [],
        refusal:
          'Qwen Code can leave out the files of a project only together with your own settings and rules. Trust this directory first.',
      }
