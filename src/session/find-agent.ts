import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Agent } from '../agents/agent.ts'

/** Where an agent’s program is: its own variable first, then PATH. */
export const findAgent = (
  agent: Agent,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined => {
  const named = env[agent.programVariable]
  if (named) return isProgram(named) ? named : undefined
  if (agent.isBuiltIn) return process.execPath
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, agent.program))
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
