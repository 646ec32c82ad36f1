import type { BrowserInfo, BrowserList } from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import { path } from '../transport.ts'

/** Calls about paired browsers. */
export interface BrowserCalls {
  /** Returns all paired browsers. */
  list(options?: CallOptions): Promise<BrowserInfo[]>
  /** Gives a browser another name. */
  rename(id: string, name: string, options?: CallOptions): Promise<BrowserInfo>
  /** Signs a browser out, at once. */
  revoke(id: string, options?: CallOptions): Promise<void>
}

const isBrowserList = hasFields<BrowserList>('browsers')
const isBrowser = hasFields<BrowserInfo>('id', 'name')

export const browserCalls = (caller: Caller): BrowserCalls => ({
  list: async (options) =>
    (await caller.json({ path: 'browsers' }, isBrowserList, options)).browsers,
  rename: (id, name, options) =>
    caller.json(
      { method: 'PATCH', path: path`browsers/${id}`, body: { name } },
      isBrowser,
      options,
    ),
  revoke: (id, options) => caller.empty({ method: 'DELETE', path: path`browsers/${id}` }, options),
})
