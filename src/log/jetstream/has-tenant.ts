import { type NatsOptions, openLink } from './nats-link.ts'
import { isStreamMissing } from './server-errors.ts'
import { namesOf } from './subjects.ts'

/**
 * Whether a tenant may have data: opening its log would create the streams. True, too, when the servers do not tell
 * because the login is wrong or they have no leader: opening the log says why. Throws what `openLink` throws.
 */
export const hasTenant = async (nats: NatsOptions, tenant: string): Promise<boolean> => {
  const link = await openLink(nats)
  try {
    await link.manager.streams.info(namesOf(tenant).eventStream)
    return true
  } catch (cause) {
    return !isStreamMissing(cause)
  } finally {
    await link.close()
  }
}
