import type { SpendingSums } from '../events/types.ts'
import type { SessionRange } from './log.ts'

/** The sums are stored in steps of this length. Midnight of every time zone begins a step. */
export const spendingStepMs = 15 * 60_000

/**
 * What sessions have used, summed up in steps of 15 minutes: from their `usage_update` events, in the
 * same write that appends those. Deleted sessions stay in the sums.
 */
export interface SpendingStore {
  /** The sums of a range, by the fields in `by`. In the order of these fields. */
  list(query: SpendingQuery): Promise<SpendingRow[]>
  /** The starts of the first and the last step with usage in a range; undefined if there is none. */
  span(range?: SpendingRange): Promise<SpendingSpan | undefined>
  /** The sums of a range. */
  total(range?: SpendingRange): Promise<SpendingSums>
  /** How many sessions of an older version are not yet included. Their events are being added. */
  unfilled(): Promise<number>
}

/** Which usage to sum up. All conditions must hold. */
export interface SpendingRange {
  /** The start, in ms since 1970. Rounded down to a step. */
  since?: number | undefined
  /** The end, in ms since 1970. Rounded down to a step. */
  until?: number | undefined
  projectId?: string | undefined
  sessionId?: string | undefined
  /** Only sessions of these projects, and these sessions. */
  within?: SessionRange | undefined
}

/** What sums can be separated by. `step`: the 15 minutes in which the usage was recorded. */
export type SpendingField = 'step' | 'session' | 'project' | 'agent' | 'model'

export interface SpendingQuery extends SpendingRange {
  by: readonly SpendingField[]
  /**
   * Only with `step`: sums from each of these times to the next, instead of each step. In ms since 1970,
   * ascending, each the start of a step. What is not between two of them is left out.
   */
  bounds?: readonly number[] | undefined
}

/** In ms since 1970. */
export interface SpendingSpan {
  first: number
  last: number
}

/** Sums, with those of these fields that the query separates by. */
export interface SpendingRow {
  /** The start of the step, or of what is between two bounds, in ms since 1970. */
  step?: number
  sessionId?: string
  /** Empty for sessions without a project. */
  projectId?: string
  agent?: string
  /** Empty for a cost that was reported for no model. */
  model?: string
  /** The starts of the first and the last step in the sums, in ms since 1970. */
  first: number
  last: number
  sums: SpendingSums
}
