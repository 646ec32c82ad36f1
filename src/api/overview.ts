import { z } from 'zod'
import { totals } from '../events/usage.ts'
import { approval } from './approval.ts'
import { sessionInfo } from './session.ts'

/** Everything in a few numbers. */
export const overviewTotals = z.object({
  sessions: z.number().int().nonnegative(),
  running: z.number().int().nonnegative().describe('Sessions with an open run.'),
  approvals: z.number().int().nonnegative().describe('Questions that wait for a person.'),
  usage: totals.describe('Of all sessions together.'),
})

/** The first event of `GET stream`. */
export const overviewSnapshot = z
  .object({
    type: z.literal('overview'),
    sessions: z.array(sessionInfo).describe('Newest first.'),
    approvals: z.array(approval).describe('Oldest first.'),
    totals: overviewTotals,
  })
  .describe('Always first on a new connection: all sessions, and what waits for a person.')

/**
 * What `GET stream` says beside the events of the named sessions. `approval_request` and
 * `approval_resolved` come from all sessions too, as the events that they are.
 */
export const overviewEvents = [
  overviewSnapshot,
  z
    .object({ type: z.literal('session_created'), session: sessionInfo })
    .describe('A session has begun.'),
  z
    .object({ type: z.literal('session_updated'), session: sessionInfo })
    .describe('Something about a session changed; the whole of it is there.'),
  z
    .object({ type: z.literal('session_removed'), sessionId: z.string() })
    .describe('A session was deleted.'),
  z.object({ type: z.literal('totals'), totals: overviewTotals }).describe('The sums changed.'),
] as const

export const overviewEvent = z.discriminatedUnion('type', [...overviewEvents])
