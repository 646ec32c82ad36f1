import { hash } from 'node:crypto'
import { Problem } from '../shared/problem.ts'

export interface IdempotencyOptions {
  now?(): number
  /** How long an answer is remembered. */
  keepMs?: number
  /** How many are remembered; the oldest go first. */
  limit?: number
}

interface Kept<Answer> {
  body: string
  answer: Promise<Answer>
  at: number
}

export interface Attempt {
  /** Whose key it is: two callers may use the same word. */
  owner: string
  /** Method and path. */
  route: string
  key: string
  body: string
}

/**
 * Requests that may be sent twice and happen once. The same key, route and body give the same
 * answer, also while the first is still under way; another body is refused. A refusal has changed
 * nothing, so it is not remembered: the next attempt is a new one.
 */
export const createIdempotency = <Answer>(options: IdempotencyOptions = {}) => {
  const { now = Date.now, keepMs = 10 * 60 * 1000, limit = 10_000 } = options
  const kept = new Map<string, Kept<Answer>>()

  const forget = () => {
    // In the order of their coming: behind the first that stays, all stay.
    for (const [name, { at }] of kept) {
      if (kept.size <= limit && at > now() - keepMs) return
      kept.delete(name)
    }
  }

  return {
    async once(
      attempt: Attempt,
      run: () => Promise<Answer>,
    ): Promise<{ answer: Answer; isRepeated: boolean }> {
      forget()
      const name = JSON.stringify([attempt.owner, attempt.route, attempt.key])
      const body = hash('sha256', attempt.body)
      const known = kept.get(name)
      if (known) {
        if (known.body !== body)
          throw new Problem(
            422,
            'idempotency_mismatch',
            'This Idempotency-Key came with another body before.',
          )
        return { answer: await known.answer, isRepeated: true }
      }
      const answer = run()
      const mine = { body, answer, at: now() }
      kept.set(name, mine)
      try {
        return { answer: await answer, isRepeated: false }
      } catch (cause) {
        if (kept.get(name) === mine) kept.delete(name)
        throw cause
      }
    },
    size: () => kept.size,
  }
}
export type Idempotency<Answer> = ReturnType<typeof createIdempotency<Answer>>
