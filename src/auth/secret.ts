import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits cannot be guessed, so a fast hash protects them as well as a slow one. */
export const randomSecret = (): string => randomBytes(32).toString('base64url')

/** What is stored of a secret. */
export const hashOf = (secret: string): string => hash('sha256', secret)

/** Compares two hashes in constant time. */
export const isSame = (left: string, right: string): boolean =>
  timingSafeEqual(Buffer.from(left), Buffer.from(right))
