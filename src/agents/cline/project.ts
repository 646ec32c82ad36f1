import type { ProjectStart, ProjectToStart } from '../agent.ts'

/** Cline runs the hooks and the plugins of every project, and no flag leaves them out. */
export const startClineInProject = ({ isTrusted }: ProjectToStart): ProjectStart =>
  isTrusted
    ? { args: [] }
    : {
        args: [],
        refusal:
          'Cline cannot start without the hooks and plugins of this project. Trust this directory first.',
      }
