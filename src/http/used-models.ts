import type { Log } from '../log/log.ts'

/** So many sessions are looked at, and so many models given. */
const looked = 200
const most = 20

/** The models that the last sessions of an agent have used, newest first. */
export const usedModels = async (log: Log, agent: string): Promise<string[]> => {
  const sessions = await log.sessions.list({ agent, limit: looked })
  const models = sessions.flatMap(({ model }) => model ?? [])
  // Pi says so where it has no model yet.
  return [...new Set(models)].filter((model) => model !== 'unknown').slice(0, most)
}
