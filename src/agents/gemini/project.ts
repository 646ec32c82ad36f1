import type { ProjectStart, ProjectToStart } from '../agent.ts'

/**
 * In a directory that it does not trust, Gemini CLI leaves its files out, with two exceptions: it takes
 * the login from `.env`, and it does not run a single prompt at all.
 */
export const startGeminiInProject = (project: ProjectToStart): ProjectStart => {
  if (project.isTrusted) return { args: [], env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } }
  const refusal = refusalOf(project)
  if (refusal !== undefined) return { args: [], refusal }
  return { args: [], env: { GEMINI_CLI_TRUST_WORKSPACE: 'false' } }
}

const refusalOf = ({ isOneShot, paths }: ProjectToStart): string | undefined => {
  const env = paths.find(isEnvFile)
  if (env !== undefined)
    return `Gemini CLI takes the key and the cloud project from ${env} even where it trusts nothing. Trust this directory first.`
  if (isOneShot)
    return 'Gemini CLI runs no single prompt in a directory that is not trusted. Trust this directory first, or start a session.'
}

/** `.gemini/.env` is left out. */
const isEnvFile = (path: string): boolean => /(?:^|\/)\.env$/.test(path) && !isOfGemini.test(path)

const isOfGemini = /(?:^|\/)\.gemini\/\.env$/
