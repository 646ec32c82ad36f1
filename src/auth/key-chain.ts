import type { Scope } from '../api/types.ts'
import type { KeyStore, SessionRange } from '../log/log.ts'
import type { KeyRecord } from '../log/types.ts'
import { scopesOf } from './api-keys.ts'
import { keyExpired, keyRevoked, tokenInvalid } from './token-problems.ts'

/** A key with the keys that it came from. None of them may have ended. */
export interface KeyChain {
  readonly record: KeyRecord
  /** What every key of the chain allows. */
  readonly scopes: ReadonlySet<Scope>
  /** When the first key of the chain expires, in ms since 1970. */
  readonly expiresAt?: number
  /** The sessions that the key sees. Absent when it sees all. */
  readonly range?: SessionRange
  /** The key, the one that created it, and so on. */
  readonly keys: readonly KeyRecord[]
}

/** The chain of a key. Throws a `Problem` 401 when the key, or one that it came from, has ended. */
export const loadKeyChain = async (
  store: Pick<KeyStore, 'get'>,
  record: KeyRecord | undefined,
  now: number,
): Promise<KeyChain> => {
  const keys = await keysAbove(store, record)
  const expiries = keys.flatMap(({ expiresAt }) => expiresAt ?? [])
  const expiresAt = expiries.length === 0 ? undefined : Math.min(...expiries)
  if (expiresAt !== undefined && expiresAt <= now) throw keyExpired()
  const [first = record, ...others] = keys
  if (!first) throw tokenInvalid()
  const scopes = scopesOf(first).filter((scope) =>
    others.every((each) => each.scopes.includes(scope)),
  )
  const range = rangeOf(first)
  return {
    record: first,
    scopes: new Set(scopes),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(range && { range }),
    keys,
  }
}

/** How many keys may have created each other, one after another. */
export const maxChainLength = 32

const keysAbove = async (
  store: Pick<KeyStore, 'get'>,
  record: KeyRecord | undefined,
): Promise<KeyRecord[]> => {
  const keys: KeyRecord[] = []
  for (let next = record; ; ) {
    if (!next || keys.length >= maxChainLength) throw tokenInvalid()
    if (next.revokedAt !== undefined) throw keyRevoked()
    keys.push(next)
    if (next.parentId === undefined) return keys
    next = await store.get(next.parentId)
  }
}

/** The sessions that a key sees; undefined when it sees all. */
const rangeOf = ({
  projects,
  sessions,
}: Pick<KeyRecord, 'projects' | 'sessions'>): SessionRange | undefined =>
  projects || sessions ? { projects: projects ?? [], sessions: sessions ?? [] } : undefined

/** The ids of a key and of all keys that came from it. */
export const withDescendants = (
  id: string,
  all: readonly Pick<KeyRecord, 'id' | 'parentId'>[],
): string[] => {
  const found = new Set([id])
  // A key is always listed after the one that created it.
  for (const { id: each, parentId } of all)
    if (parentId !== undefined && found.has(parentId)) found.add(each)
  return [...found]
}
