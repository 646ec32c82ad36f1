import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import type { AgentDescription } from '../agents/agent.ts'

/** Where an agent’s program is, as a whole path: its own variable first, then PATH. */
export const findAgent = (
  agent: AgentDescription,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined => {
  const named = env[agent.programVariable]
  if (named) return isProgram(named) ? resolve(named) : undefined
  if (agent.isBuiltIn) return process.execPath
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => resolve(directory, agent.program)) // it will run in another directory
    .find(isProgram)
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
