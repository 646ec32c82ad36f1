import type { Log } from '../log/log.ts'

const maxSessions = 200
const maxModels = 20

/** The models that the latest sessions of an agent have used, newest first. */
export const usedModels = async (log: Log, agent: string): Promise<string[]> => {
  const sessions = await log.sessions.list({ agent, limit: maxSessions })
  const models = sessions.flatMap(({ model }) => model ?? [])
  // Pi reports `unknown` before it has a model.
  return [...new Set(models)].filter((model) => model !== 'unknown').slice(0, maxModels)
}
