import type { ProjectStart, ProjectToStart } from '../agent.ts'

/** Without trust, OpenCode starts as in a project that has none of its files. */
export const startOpenCodeInProject = ({ isTrusted }: ProjectToStart): ProjectStart =>
  isTrusted
    ? { args: [] }
    : {
        args: [],
        env: { OPENCODE_DISABLE_PROJECT_CONFIG: '1', OPENCODE_DISABLE_EXTERNAL_SKILLS: '1' },
      }
