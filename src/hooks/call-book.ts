import { createHash } from 'node:crypto'
import type { HookCall } from '../agents/hooks.ts'
import { canonicalJson } from '../shared/canonical-json.ts'

/**
 * What two descriptions of the same call have in common; undefined if it is nested too deeply. A hash,
 * because many are in memory, and a call can have the text of a whole file.
 */
export const callKeyOf = (
  { toolName, args }: HookCall,
  subagentId: string | undefined,
): string | undefined => {
  const text = canonicalJson([subagentId ?? '', toolName, args], maxDepth)
  return text === undefined ? undefined : createHash('sha256').update(text).digest('base64')
}

/** Deeper arguments cannot be shown to a person. */
const maxDepth = 200

/**
 * The calls of one session that have begun, by what they do: a request of Claude Code does not have the
 * id of its call. Two equal calls cannot be told apart, so the latest one counts.
 */
export interface CallBook {
  note(key: string, callId: string): void
  /** The id of a call, once it is noted; undefined if that does not happen soon. */
  find(key: string): Promise<string | undefined>
}

const maxCalls = 100
/** How long a request waits for the report of its call: both are sent at the same time. */
const patienceMs = 400

export const createCallBook = (): CallBook => {
  const calls = new Map<string, string>()
  const waiting = new Map<string, Set<(callId: string) => void>>()
  return {
    note(key, callId) {
      calls.delete(key)
      calls.set(key, callId)
      for (const [oldest] of calls) if (calls.size > maxCalls) calls.delete(oldest)
      for (const found of waiting.get(key) ?? []) found(callId)
    },
    async find(key) {
      const known = calls.get(key)
      if (known !== undefined) return known
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      const waiters = waiting.get(key) ?? new Set()
      waiting.set(key, waiters.add(resolve))
      const timer = setTimeout(() => resolve(undefined), patienceMs)
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        waiters.delete(resolve)
        if (waiters.size === 0) waiting.delete(key)
      }
    },
  }
}
