import type { TokenCounts, Usage } from '../../events/types.ts'
import { countOf, defined, type Fields, fieldsOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { tokensOf } from './wire.ts'

/** The token counts of a thread, which go on when another process resumes it. */
export interface UsageCounter {
  /**
   * Adds new counts. `onCall` gets the usage of the model call that they are about, before they are
   * reported: the report counts only what no message showed. Outside of a run there is no call.
   */
  add(tokenUsage: Fields, isRunning: boolean, onCall: (usage: Usage | undefined) => void): void
}

export const createUsageCounter = (emit: Emit, model: () => string | undefined): UsageCounter => {
  /** The counts at the last report. */
  let counted: TokenCounts | undefined

  return {
    add(tokenUsage, isRunning, onCall) {
      const total = tokensOf(tokenUsage.total)
      const last = tokensOf(tokenUsage.last)
      // What was counted before this process is not part of this session.
      const before = counted ?? tokensSince(total, last)
      counted = total
      const contextTokens = countOf(fieldsOf(tokenUsage.last).totalTokens)
      const contextWindow = countOf(tokenUsage.modelContextWindow)
      const context = defined({ contextTokens, contextWindow })
      const added = tokensSince(total, before)
      const isNew = isRunning && Object.values(added).some((count) => count > 0)
      onCall(isNew ? added : undefined)
      const name = model() ?? 'unknown'
      const reported = {
        byModel: { [name]: total },
        sinceLast: { [name]: added },
        counts: 'conversation' as const,
      }
      if (isNew || Object.keys(context).length > 0)
        emit({ type: 'session_update', ...context, ...(isNew && { reported }) })
    },
  }
}

/** What was counted since an earlier count. */
export const tokensSince = (now: TokenCounts, before: TokenCounts): TokenCounts => {
  const kinds = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const
  const grown: TokenCounts = {}
  for (const kind of kinds) {
    const count = now[kind]
    if (count !== undefined) grown[kind] = Math.max(0, count - (before[kind] ?? 0))
  }
  return grown
}
