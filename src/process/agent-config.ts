import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AgentDescription } from '../agents/agent.ts'

/** Where an agent stores its settings. Creates the directories: a sandbox can only open existing ones. */
export const configPaths = (
  { config }: Pick<AgentDescription, 'config'>,
  env: NodeJS.ProcessEnv = process.env,
): string[] => {
  if (!config) return []
  const home = env.HOME ?? homedir()
  const { [config.variable]: own } = env
  const directories = own ? [own] : config.directories.map((name) => join(home, name))
  for (const directory of directories) create(directory)
  return [...directories, ...(config.files ?? []).map((name) => join(home, name))]
}

const create = (directory: string): void => {
  try {
    mkdirSync(directory, { recursive: true })
  } catch {
    // The agent reports what it cannot write.
  }
}
