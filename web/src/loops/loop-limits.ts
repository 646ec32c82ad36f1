import type { LoopChange } from '../../../src/api/index.ts'
import type { LoopLimits } from '../../../src/events/index.ts'
import {
  durationText,
  readField,
  readLimits,
  readWhole,
  type TypedLimits,
} from '../limits/read-limits.ts'

/** The limits of a loop as a person types them; an empty field means no limit of its own. */
export interface TypedLoopLimits extends TypedLimits {
  readonly iterations: string
  readonly failures: string
  readonly stale: string
}

/** Reads typed limits of a loop. Throws an error that says which field is wrong. */
export const readLoopLimits = (typed: TypedLoopLimits): LoopLimits => {
  const { costUsd, tokens, durationMs } = readLimits(typed)
  const whole = (text: string, name: string) =>
    readField(text, readWhole, `${name} must be a whole number above 0.`)
  const maxIterations = whole(typed.iterations, 'Iterations')
  const maxFailures = whole(typed.failures, 'Failures in a row')
  const maxStale = whole(typed.stale, 'Same answer in a row')
  return {
    ...(maxIterations !== undefined && { maxIterations }),
    ...(durationMs !== undefined && { maxDurationMs: durationMs }),
    ...(costUsd !== undefined && { maxCostUsd: costUsd }),
    ...(tokens !== undefined && { maxTokens: tokens }),
    ...(maxFailures !== undefined && { maxFailures }),
    ...(maxStale !== undefined && { maxStale }),
  }
}

/** The same to change the limits of a loop: an empty field removes its limit. */
export const readLimitChange = (typed: TypedLoopLimits): NonNullable<LoopChange['limits']> => ({
  ...{ maxIterations: null, maxFailures: null, maxStale: null },
  ...{ maxCostUsd: null, maxTokens: null, maxDurationMs: null },
  ...readLoopLimits(typed),
})

/** The limits of a loop in the form in which they are typed. */
export const typedLoopLimits = (limits: LoopLimits): TypedLoopLimits => ({
  iterations: textOf(limits.maxIterations),
  cost: textOf(limits.maxCostUsd),
  tokens: textOf(limits.maxTokens),
  time: durationText(limits.maxDurationMs),
  failures: textOf(limits.maxFailures),
  stale: textOf(limits.maxStale),
})

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value))
