import { z } from 'zod'
import { loopInfo } from '../events/loop.ts'
import { totals } from '../events/usage.ts'
import { approval } from './approval.ts'
import { count } from './fields.ts'
import { sessionInfo } from './session.ts'

export const overviewTotals = z
  .object({
    sessions: count.describe('Number of sessions.'),
    running: count.describe('Number of sessions with an open run.'),
    approvals: count.describe('Number of pending approvals.'),
    usage: totals.describe('Usage of all sessions together.'),
    deletedUsage: totals
      .optional()
      .describe('Usage of the sessions that were deleted. Absent when none was.'),
  })
  .describe('Totals over all sessions.')

export const overviewSnapshot = z
  .object({
    type: z.literal('overview'),
    sessions: z.array(sessionInfo).describe('All sessions, newest first.'),
    approvals: z.array(approval).describe('Pending approvals of all sessions, oldest first.'),
    loops: z
      .array(loopInfo)
      .optional()
      .describe('Loops that are not done, and the last ones that are, newest first.'),
    totals: overviewTotals,
  })
  .describe(
    'All sessions and pending approvals. Always the first event of a new connection to `GET stream`.',
  )

/**
 * Events of `GET stream` about all sessions. They come in addition to the events of the subscribed
 * sessions, and to `approval_request` and `approval_resolved` of every session.
 */
export const overviewEvents = [
  overviewSnapshot,
  z
    .object({ type: z.literal('session_created'), session: sessionInfo })
    .describe('A session was created.'),
  z
    .object({ type: z.literal('session_updated'), session: sessionInfo })
    .describe('A session changed. Contains the whole session.'),
  z
    .object({
      type: z.literal('session_removed'),
      sessionId: z.string().describe('Id of the session.'),
    })
    .describe('A session was deleted.'),
  z
    .object({ type: z.literal('loop_updated'), loop: loopInfo })
    .describe('A loop was created or changed. Contains the whole loop.'),
  z.object({ type: z.literal('totals'), totals: overviewTotals }).describe('The totals changed.'),
] as const

export const overviewEvent = z
  .discriminatedUnion('type', [...overviewEvents])
  .describe('An event of `GET stream` about all sessions.')
