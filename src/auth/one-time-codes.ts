import { hash, randomBytes } from 'node:crypto'
import type { CodeStore } from '../log/shared-log.ts'

export interface OneTimeCodeOptions {
  /** What every code begins with, so that people and `redact` recognise it. */
  prefix: string
  /** How long a code is valid. */
  ttlMs: number
  /** How many codes may wait to be used. A new one then replaces the oldest. */
  limit: number
  now(): number
  /** Where codes are stored that every node accepts. Default: in the memory of this process. */
  shared?: { readonly group: string; readonly codes: CodeStore } | undefined
}

/** Codes that are valid once and for a short time. Only their hashes are held. */
export interface OneTimeCodes<Content> {
  /** Makes a code that stands for some content. */
  create(content: Content): { code: string; expiresAt: number }
  /** Whether a text looks like such a code. */
  isCode(text: string): boolean
  /**
   * The content of a code, once. Undefined when the code is wrong, used or expired. Rejects when the
   * nodes cannot be reached that share it.
   */
  redeem(code: string): Promise<Content | undefined>
}

export const createOneTimeCodes = <Content>(options: OneTimeCodeOptions): OneTimeCodes<Content> => {
  const { prefix, ttlMs, now } = options
  const waiting = options.shared
    ? sharedCodes<Content>(options, options.shared)
    : inMemory<Content>(options)
  return {
    create(content) {
      const code = prefix + randomBytes(20).toString('base64url')
      const expiresAt = now() + ttlMs
      waiting.add(hash('sha256', code), content, expiresAt)
      return { code, expiresAt }
    },
    isCode: (text) => text.startsWith(prefix),
    redeem: (code) => waiting.take(hash('sha256', code)),
  }
}

/** The codes that wait to be used, by their hash. */
interface WaitingCodes<Content> {
  add(id: string, content: Content, expiresAt: number): void
  take(id: string): Promise<Content | undefined>
}

const inMemory = <Content>({ limit, now }: OneTimeCodeOptions): WaitingCodes<Content> => {
  /** Oldest first. */
  const waiting = new Map<string, { content: Content; expiresAt: number }>()
  return {
    add(id, content, expiresAt) {
      for (const [key, each] of waiting)
        if (each.expiresAt <= now() || waiting.size >= limit) waiting.delete(key)
      waiting.set(id, { content, expiresAt })
    },
    async take(id) {
      const found = waiting.get(id)
      waiting.delete(id)
      return found && found.expiresAt > now() ? found.content : undefined
    },
  }
}

const sharedCodes = <Content>(
  { limit, now }: OneTimeCodeOptions,
  { group, codes }: { readonly group: string; readonly codes: CodeStore },
): WaitingCodes<Content> => {
  /** One after another, so that the oldest is the first. */
  let storing: Promise<unknown> = Promise.resolve()
  return {
    add(id, content, expiresAt) {
      const code = { id, content: JSON.stringify(content), createdAt: now(), expiresAt }
      storing = storing.catch(() => {}).then(() => codes.put(group, code, limit))
      // Whoever takes the code finds out.
      storing.catch(() => {})
    },
    async take(id) {
      await storing
      const content = await codes.take(group, id, now())
      return content === undefined ? undefined : JSON.parse(content)
    },
  }
}
