import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import type { AgentDescription } from '../agents/agent.ts'

/**
 * The absolute path of an agent’s program; undefined when it is not installed. The agent’s own
 * environment variable goes before PATH.
 */
export const findAgent = (
  agent: AgentDescription,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined => {
  const override = env[agent.programVariable]
  if (override) return isProgram(override) ? resolve(override) : undefined
  if (agent.isBuiltIn) return process.execPath
  return findOnPath(agent.program, env)
}

/** The absolute path of a program on PATH; undefined when there is none. */
export const findOnPath = (name: string, env: NodeJS.ProcessEnv): string | undefined =>
  (env.PATH ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => resolve(directory, name)) // absolute: it will run in another directory
    .find(isProgram)

/** The absolute path of a program that a person names: on PATH, or by a path from a directory. */
export const findProgram = (
  word: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): string | undefined => {
  if (!word.includes('/')) return findOnPath(word, env)
  const path = resolve(cwd, word)
  return isProgram(path) ? path : undefined
}

/** Says that a person named a program that does not exist. */
export const noProgramText = (word: string, cwd: string): string =>
  word.includes('/')
    ? `There is no program at ${resolve(cwd, word)}.`
    : `There is no program “${word}” on PATH.`

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
