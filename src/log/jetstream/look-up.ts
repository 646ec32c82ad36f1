import type { Documents } from './documents.ts'
import type { NatsLink } from './nats-link.ts'
import type { RecordWatch } from './record-watch.ts'

/**
 * Reads a record from the index. When it is not there, another node may have created it just now: then
 * the bucket is read, and the index follows.
 */
export type LookUp = <Found>(
  key: string,
  read: () => Promise<Found | undefined>,
) => Promise<Found | undefined>

export interface LookUpOptions {
  link: Pick<NatsLink, 'isConnected'>
  documents: Pick<Documents, 'get'>
  watch: Pick<RecordWatch, 'reached'>
}

/** Ids that do not exist cost a request each, so only this many are looked up in a second. */
const perSecond = 100

/** How long a caller waits. Without NATS, what the index has is all that there is. */
const waitMs = 1000

export const createLookUp = ({ link, documents, watch }: LookUpOptions): LookUp => {
  const looking = new Map<string, Promise<void>>()
  let second = 0
  let count = 0

  const isAllowed = (): boolean => {
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) count = 0
    second = now
    count += 1
    return count <= perSecond && link.isConnected()
  }
  const follow = async (key: string): Promise<void> => {
    const document = await documents.get(key)
    if (document) await watch.reached(document.revision)
  }
  const followOnce = (key: string): Promise<void> => {
    const running = looking.get(key) ?? follow(key).finally(() => looking.delete(key))
    looking.set(key, running)
    return running
  }

  return async (key, read) => {
    const found = await read()
    if (found !== undefined || !isAllowed()) return found
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, waitMs)
    // The index decides: what cannot be looked up counts as absent.
    await Promise.race([promise, followOnce(key).catch(() => {})])
    clearTimeout(timer)
    return read()
  }
}
