import { loadKeyChain } from '../auth/key-chain.ts'
import type { Log } from '../log/log.ts'
import { Problem } from '../shared/problem.ts'
import { createKeyQuotas, type QuotaDefaults } from './key-quotas.ts'

/**
 * Why the key that created a loop may start no more sessions; undefined if it may. A key that was revoked
 * or has expired may not, and its quotas hold for its loops, too.
 */
export const createCreatorCheck = (
  log: Log,
  defaults: QuotaDefaults,
  now: () => number = Date.now,
): ((creatorId: string) => Promise<string | undefined>) => {
  const quotas = createKeyQuotas(log, defaults)
  return async (creatorId) => {
    const record = await log.keys.get(creatorId)
    if (!record) return undefined // a browser, or this program
    try {
      const { keys } = await loadKeyChain(log.keys, record, now())
      const access = { keyId: creatorId, keys }
      await quotas.checkDisk(access)
      const release = await quotas.reserveSession(access)
      release()
      return undefined
    } catch (cause) {
      if (cause instanceof Problem) return cause.message
      throw cause
    }
  }
}
