import type { ProjectStart, ProjectToStart } from '../agent.ts'

/** Gemini CLI does not start in a directory that is not trusted, unless a person is at its terminal. */
export const startGeminiInProject = ({ isTrusted }: ProjectToStart): ProjectStart =>
  isTrusted
    ? { args: [], env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } }
    : {
        args: [],
        refusal:
          'Gemini CLI cannot start without the settings of a project. Trust this directory first.',
      }
