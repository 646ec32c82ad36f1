import { randomBytes } from 'node:crypto'
import type { BrowserInfo, Scope } from '../api/types.ts'
import type { RecordStore } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { BrowserRecord } from '../log/types.ts'
import { Problem } from '../shared/problem.ts'
import { scopesOf } from './api-keys.ts'
import type { BrowserCookie } from './browser-cookie.ts'
import { acceptSecret, type UsedSecret } from './browser-secret.ts'
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
  /** Whether a browser is paired. */
  has(id: string): Promise<boolean>
  /** Ends the streams of a browser that another node has signed out. */
  end(id: string): void
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
  const remove = async (id: string, reason: Problem): Promise<void> => {
    onRevoked(id, reason)
    await store.remove(id)
  }
  /** Decides on the newest record, and stores what the request has changed. */
  const acceptNewest = async (proof: BrowserProof): Promise<Decision> => {
    let decision: Decision = { refusal: browserSignedOut() }
    await store.change(proof.cookie.id, (record) => {
      decision = decide(record, proof, now())
      return 'refusal' in decision ? record : decision.record
    })
    return decision
  }

  return {
    async create(browser) {
      const secret = randomSecret()
      const pageKey = randomSecret()
      const record = newRecord(browser, { secret, pageKey }, now())
      await store.put(record)
      return { record, secret, pageKey }
    },

    async accept(proof) {
      const stored = await store.get(proof.cookie.id)
      const first = decide(stored, proof, now())
      if ('refusal' in first && !stored) throw first.refusal
      const isPlain = !('refusal' in first) && first.newSecret === undefined
      if (isPlain && first.record !== stored) void acceptNewest(proof).catch(() => {}) // only times
      // Another request, or another node, may have replaced the secret in the meantime.
      const decision = isPlain ? first : await withoutNewSecret(first, acceptNewest(proof))
      if (!('refusal' in decision)) return { ...decision, endsAt: endOf(decision.record) }
      if (decision.isFinal) await remove(proof.cookie.id, decision.refusal)
      throw decision.refusal
    },

    async list(currentId) {
      const found = await store.list()
      return found
        .filter(({ expiresAt }) => expiresAt > now())
        .map((each) => browserInfoOf(each, currentId))
    },
    async rename(id, name) {
      const renamed = await store.change(id, (record) => record && { ...record, name })
      if (!renamed) throw unknownBrowser(id)
      return browserInfoOf(renamed)
    },
    async revoke(id) {
      if (!(await store.get(id))) throw unknownBrowser(id)
      await remove(id, browserSignedOut())
    },
    has: async (id) => (await store.get(id)) !== undefined,
    end: (id) => onRevoked(id, browserSignedOut()),
    async revokeOfKeys(keyIds) {
      const children = (await store.list()).filter(
        ({ keyId }) => keyId !== undefined && keyIds.includes(keyId),
      )
      await Promise.all(children.map(({ id }) => remove(id, browserSignedOut())))
    },
  }
}

/** What becomes of a request. With `isFinal`, the browser is signed out. */
type Decision = UsedSecret | { refusal: Problem; isFinal?: true }

const decide = (
  record: BrowserRecord | undefined,
  { cookie: { secret }, pageKey, address }: BrowserProof,
  now: number,
): Decision => {
  if (!record) return { refusal: browserSignedOut() }
  if (record.expiresAt <= now) return { refusal: browserExpired(), isFinal: true }
  const used = acceptSecret(record, secret, now)
  if (used === 'copied') return { refusal: cookieCopied(), isFinal: true }
  const isPage = pageKey !== undefined && isSame(hashOf(pageKey), record.page)
  if (used === 'wrong' || !isPage) return { refusal: browserSignedOut() }
  return { ...used, record: touch(used.record, address, now) }
}

/** How long a request waits for its new secret to be stored. */
const storeMs = 1000

/**
 * The second decision. A log that is away for a while must not hold up a request with a valid secret:
 * then the browser gets a new one later.
 */
const withoutNewSecret = async (
  first: Decision,
  deciding: Promise<Decision>,
): Promise<Decision> => {
  if ('refusal' in first) return deciding
  const { newSecret: _, ...valid } = first
  const { promise, resolve } = Promise.withResolvers<Decision>()
  const timer = setTimeout(() => resolve(valid), storeMs)
  try {
    return await Promise.race([promise, deciding])
  } catch (cause) {
    if (cause instanceof LogFault) return valid
    throw cause
  } finally {
    clearTimeout(timer)
    deciding.catch(() => {})
  }
}

const unknownBrowser = (id: string): Problem =>
  new Problem(
    404,
    'unknown_browser',
    `There is no paired browser with the id ${id}. To see the ids, run \`sluice browsers list\`.`,
  )

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
