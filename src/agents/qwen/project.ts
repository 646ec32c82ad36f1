import type { ProjectStart, ProjectToStart } from '../agent.ts'

/** Qwen Code loads the settings of a project unasked, and has no flag that leaves them out. */
export const startQwenInProject = ({ isTrusted }: ProjectToStart): ProjectStart =>
  isTrusted
    ? { args: [] }
    : {
        args: [],
        refusal:
          'Qwen Code cannot start without the settings of a project. Trust this directory first.',
      }
