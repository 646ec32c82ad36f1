import type { KeyStore } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { SharedLog } from '../log/shared-log.ts'
import type { Browsers } from './browsers.ts'
import { withDescendants } from './key-chain.ts'
import type { Lifetimes } from './lifetimes.ts'

export interface RevocationParts {
  shared: Pick<SharedLog, 'onRecord'>
  keys: Pick<KeyStore, 'get' | 'list'>
  browsers: Pick<Browsers, 'has' | 'end' | 'revokeOfKeys'>
  lifetimes: Pick<Lifetimes, 'revoke'>
}

/**
 * Ends here what another node has revoked: the streams of keys, with all that came from them, and of
 * browsers. Returns the function that ends that.
 */
export const followRevocations = ({
  shared,
  keys,
  browsers,
  lifetimes,
}: RevocationParts): (() => void) => {
  const onKey = async (id: string): Promise<void> => {
    const record = await keys.get(id)
    if (record?.revokedAt === undefined) return
    lifetimes.revoke(id)
    const family = withDescendants(id, await keys.list())
    for (const each of family) lifetimes.revoke(each)
    await browsers.revokeOfKeys(family)
  }
  const onBrowser = async (id: string): Promise<void> => {
    if (!(await browsers.has(id))) browsers.end(id)
  }
  return shared.onRecord(({ kind, id }) => {
    if (kind === 'key') onKey(id).catch(ignoreLogFault)
    if (kind === 'browser') onBrowser(id).catch(ignoreLogFault)
  })
}

/** The log is closed or away. The node that revoked the key has stored that; this one reads it later. */
const ignoreLogFault = (cause: unknown): void => {
  if (!(cause instanceof LogFault)) throw cause
}
