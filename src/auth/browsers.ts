import { randomBytes } from 'node:crypto'
import type { BrowserInfo, Scope } from '../api/types.ts'
import type { RecordStore } from '../log/log.ts'
import type { BrowserRecord } from '../log/types.ts'
import { Problem } from '../shared/problem.ts'
import { scopesOf } from './api-keys.ts'
import type { BrowserCookie } from './browser-cookie.ts'
import { acceptSecret } from './browser-secret.ts'
import { hashOf, isSame, randomSecret } from './secret.ts'
import { browserExpired, browserSignedOut, cookieCopied } from './token-problems.ts'

/** What a new browser gets. */
export interface NewBrowser {
  name: string
  scopes: readonly Scope[]
  /** The API key that the browser ends with. */
  keyId?: string | undefined
  address: string | undefined
}

/** A browser with the secrets that only this result contains. */
export interface PairedBrowserSecrets {
  record: BrowserRecord
  /** For the cookie. */
  secret: string
  /** For the page, which sends it beside the cookie. */
  pageKey: string
}

/** What a request of a browser carries. */
export interface BrowserProof {
  cookie: BrowserCookie
  /** The page key, from the `Sluice-Page` header. */
  pageKey: string | undefined
  address: string | undefined
}

/** A request of a browser that was accepted. */
export interface AcceptedBrowser {
  record: BrowserRecord
  /** When the browser must be paired again, however often it is used. */
  endsAt: number
  /** The secret that replaces the one that was sent; absent while that one stays. */
  newSecret?: string
}

/** The paired browsers. */
export interface Browsers {
  /** Adds a browser. */
  create(browser: NewBrowser): Promise<PairedBrowserSecrets>
  /** Checks cookie and page key, and replaces the secret once a day. Throws a `Problem` 401. */
  accept(proof: BrowserProof): Promise<AcceptedBrowser>
  /** All browsers that are not expired, in the order of pairing. */
  list(currentId?: string): Promise<BrowserInfo[]>
  /** Gives a browser another name. Throws a `Problem` 404. */
  rename(id: string, name: string): Promise<BrowserInfo>
  /** Signs a browser out and ends its streams. Throws a `Problem` 404. */
  revoke(id: string): Promise<void>
  /** Signs out all browsers that end with one of these API keys. */
  revokeOfKeys(keyIds: readonly string[]): Promise<void>
}

export interface BrowserOptions {
  store: RecordStore<BrowserRecord>
  now(): number
  /** Called when a browser is signed out, with the reason to send to its open streams. */
  onRevoked(id: string, reason: Problem): void
}

export const createBrowsers = ({ store, now, onRevoked }: BrowserOptions): Browsers => {
  const records = createLoadedRecords(store)

  const remove = async (id: string, reason: Problem): Promise<void> => {
    onRevoked(id, reason)
    await records.remove(id)
  }

  const require = async (id: string): Promise<BrowserRecord> => {
    const record = await records.find(id)
    if (record) return record
    throw new Problem(
      404,
      'unknown_browser',
      `There is no paired browser with the id ${id}. To see the ids, run \`sluice browsers list\`.`,
    )
  }

  return {
    async create(browser) {
      const secret = randomSecret()
      const pageKey = randomSecret()
      const record = newRecord(browser, { secret, pageKey }, now())
      await records.put(record)
      return { record, secret, pageKey }
    },

    async accept({ cookie: { id, secret }, pageKey, address }) {
      await records.find(id)
      // From here on nothing waits, so requests at the same time see each other’s changes.
      const record = records.current(id)
      if (!record) throw browserSignedOut()
      if (record.expiresAt <= now()) {
        await remove(id, browserExpired())
        throw browserExpired()
      }
      const used = acceptSecret(record, secret, now())
      if (!used) {
        await remove(id, cookieCopied())
        throw cookieCopied()
      }
      if (pageKey === undefined || !isSame(hashOf(pageKey), record.page)) throw browserSignedOut()
      const next = touch(used.record, address, now())
      if (used.newSecret !== undefined) await records.put(next)
      else if (next !== record) void records.put(next).catch(() => {}) // only times
      return { ...used, record: next, endsAt: endOf(next) }
    },

    async list(currentId) {
      const found = await records.list()
      return found
        .filter(({ expiresAt }) => expiresAt > now())
        .map((each) => browserInfoOf(each, currentId))
    },
    async rename(id, name) {
      const found = await require(id)
      // As it is now: a request at the same time may have replaced the secret.
      const renamed = { ...(records.current(id) ?? found), name }
      await records.put(renamed)
      return browserInfoOf(renamed)
    },
    async revoke(id) {
      await require(id)
      await remove(id, browserSignedOut())
    },
    async revokeOfKeys(keyIds) {
      const children = (await records.list()).filter(
        ({ keyId }) => keyId !== undefined && keyIds.includes(keyId),
      )
      await Promise.all(children.map(({ id }) => remove(id, browserSignedOut())))
    },
  }
}

const dayMs = 24 * 60 * 60 * 1000
/** How long a browser stays paired when it is not used. */
const slidingMs = 30 * dayMs
/** How long a browser stays paired at most. */
const absoluteMs = 90 * dayMs
/** How often a use is stored. */
const touchMs = 60_000

const newRecord = (
  { name, scopes, keyId, address }: NewBrowser,
  { secret, pageKey }: { secret: string; pageKey: string },
  now: number,
): BrowserRecord => ({
  id: randomBytes(8).toString('hex'),
  name,
  scopes: [...scopes],
  ...(keyId !== undefined && { keyId }),
  secret: hashOf(secret),
  page: hashOf(pageKey),
  rotatedAt: now,
  used: [],
  createdAt: now,
  lastUsedAt: now,
  expiresAt: now + slidingMs,
  ...(address !== undefined && { address }),
})

const touch = (record: BrowserRecord, address: string | undefined, now: number): BrowserRecord => {
  if (now - record.lastUsedAt < touchMs) return record
  const expiresAt = Math.min(now + slidingMs, endOf(record))
  return { ...record, lastUsedAt: now, expiresAt, ...(address !== undefined && { address }) }
}

const endOf = ({ createdAt }: BrowserRecord): number => createdAt + absoluteMs

/** A browser as the API shows it, without its secrets. */
export const browserInfoOf = (record: BrowserRecord, currentId?: string): BrowserInfo => {
  const { secret: _, page, previous, previousUntil, rotatedAt, used, ...shown } = record
  return { ...shown, scopes: scopesOf(record), isCurrent: record.id === currentId }
}

/** The records in use, as they are now: requests decide on them at once, and the writes follow. */
const createLoadedRecords = (store: RecordStore<BrowserRecord>) => {
  const loaded = new Map<string, BrowserRecord>()
  const removed = new Set<string>()
  return {
    async find(id: string): Promise<BrowserRecord | undefined> {
      const stored = loaded.get(id) ?? (await store.get(id))
      // Another request may have loaded or removed it meanwhile.
      const record = loaded.get(id) ?? stored
      if (!record || removed.has(id)) return undefined
      loaded.set(id, record)
      return record
    },
    /** A record that was found before, as it is now. */
    current: (id: string): BrowserRecord | undefined => loaded.get(id),
    async put(record: BrowserRecord): Promise<void> {
      if (removed.has(record.id)) return
      loaded.set(record.id, record)
      await store.put(record)
    },
    async list(): Promise<BrowserRecord[]> {
      const found = await store.list()
      return found
        .filter(({ id }) => !removed.has(id))
        .map((record) => loaded.get(record.id) ?? record)
    },
    async remove(id: string): Promise<void> {
      removed.add(id)
      loaded.delete(id)
      await store.remove(id)
    },
  }
}
