import { hash, randomBytes } from 'node:crypto'

export interface OneTimeCodeOptions {
  /** What every code begins with, so that people and `redact` recognise it. */
  prefix: string
  /** How long a code is valid. */
  ttlMs: number
  /** How many codes may wait to be used. A new one then replaces the oldest. */
  limit: number
  now(): number
}

/** Codes that are valid once and for a short time. Only their hashes are held, and only in memory. */
export interface OneTimeCodes<Content> {
  /** Makes a code that stands for some content. */
  create(content: Content): { code: string; expiresAt: number }
  /** Whether a text looks like such a code. */
  isCode(text: string): boolean
  /** The content of a code, once. Undefined when the code is wrong, used or expired. */
  redeem(code: string): Content | undefined
}

export const createOneTimeCodes = <Content>(options: OneTimeCodeOptions): OneTimeCodes<Content> => {
  const { prefix, ttlMs, limit, now } = options
  /** By the hash of the code, oldest first. */
  const waiting = new Map<string, { content: Content; expiresAt: number }>()

  const removeOld = (): void => {
    for (const [key, { expiresAt }] of waiting)
      if (expiresAt <= now() || waiting.size >= limit) waiting.delete(key)
  }

  return {
    create(content) {
      removeOld()
      const code = prefix + randomBytes(20).toString('base64url')
      const expiresAt = now() + ttlMs
      waiting.set(hash('sha256', code), { content, expiresAt })
      return { code, expiresAt }
    },
    isCode: (text) => text.startsWith(prefix),
    redeem(code) {
      const key = hash('sha256', code)
      const found = waiting.get(key)
      waiting.delete(key)
      return found && found.expiresAt > now() ? found.content : undefined
    },
  }
}
