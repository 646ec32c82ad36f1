import type { BrowserRecord } from '../log/types.ts'
import { hashOf, isSame, randomSecret } from './secret.ts'

// The secret in the cookie is replaced once a day. Until the browser has used the new one, the one
// before stays valid, because a response can be lost; after that, for as long as requests may still be
// on their way. A sender of an older one has a copy of the cookie.

/** The state of a browser after a request. */
export interface UsedSecret {
  record: BrowserRecord
  /** The secret that replaces the one that was sent; absent while that one stays. */
  newSecret?: string
}

/**
 * Checks the secret of a request and returns the next state: `copied` when it is an old one, `wrong`
 * when it was never valid.
 */
export const acceptSecret = (
  record: BrowserRecord,
  secret: string,
  now: number,
): UsedSecret | 'copied' | 'wrong' => {
  const state = checkSecret(record, hashOf(secret), now)
  if (state === 'copied' || state === 'wrong') return state
  const settled = state === 'current' ? settle(record, now) : record
  if (!isDue(settled, state, now)) return { record: settled }
  const newSecret = randomSecret()
  return { record: rotate(settled, state, hashOf(newSecret), now), newSecret }
}

const rotateMs = 24 * 60 * 60 * 1000
/** How long the secret before stays valid once the new one is in use. */
const overlapMs = 60_000
/** When a new secret that was never used is replaced by another one. */
const resendMs = 60_000

type SecretState = 'current' | 'previous' | 'copied' | 'wrong'

const checkSecret = (record: BrowserRecord, sent: string, now: number): SecretState => {
  const { previous, previousUntil = Number.POSITIVE_INFINITY } = record
  if (isSame(sent, record.secret)) return 'current'
  const isPrevious = previous !== undefined && isSame(sent, previous)
  if (isPrevious && now < previousUntil) return 'previous'
  const isOld = isPrevious || record.used.some((each) => isSame(sent, each))
  return isOld ? 'copied' : 'wrong'
}

const isDue = (
  { rotatedAt, previousUntil }: BrowserRecord,
  state: 'current' | 'previous',
  now: number,
): boolean => {
  const age = now - rotatedAt
  return state === 'current' ? age >= rotateMs : previousUntil === undefined && age >= resendMs
}

/** The new secret is in use: the one before ends soon, and is then only remembered. */
const settle = (record: BrowserRecord, now: number): BrowserRecord => {
  const { previous, previousUntil, ...rest } = record
  if (previous === undefined) return record
  if (previousUntil === undefined) return { ...record, previousUntil: now + overlapMs }
  return previousUntil <= now ? { ...rest, used: [...rest.used, previous] } : record
}

/** Replaces the secret. A new one that was never used is dropped. */
const rotate = (
  { previousUntil: _, ...record }: BrowserRecord,
  state: SecretState,
  secret: string,
  now: number,
): BrowserRecord => {
  if (state === 'previous') return { ...record, secret, rotatedAt: now }
  const used = record.previous === undefined ? record.used : [...record.used, record.previous]
  return { ...record, secret, previous: record.secret, rotatedAt: now, used }
}
