export type { SessionState } from '../events/types.ts'

import { z } from 'zod'
import { turnState } from '../events/run-events.ts'
import { sessionState } from '../events/session-state.ts'
import { contextGauge, totals } from '../events/usage.ts'
import { activity } from './activity.ts'
import { label, time } from './fields.ts'
import { next, pageQuery } from './page.ts'

export { sessionState } from '../events/session-state.ts'

const model = z.string().min(1).max(200)

/** What is known of a session from its events; a field that is not known is absent. */
export const liveSummary = z.object({
  seq: z.number().int().nonnegative().optional().describe('The last event that this speaks of.'),
  activity: activity.optional(),
  turnState: turnState.optional(),
  usage: totals.optional().describe('The account so far.'),
  context: contextGauge.nullable().optional().describe('How full its context window is.'),
  pendingApprovals: z.number().int().nonnegative().optional().describe('How many wait.'),
  queuedMessages: z.number().int().nonnegative().optional().describe('How many wait.'),
})

/** A session, as lists and the overview show it. */
export const sessionInfo = z.object({
  id: z.string(),
  projectId: z.string().optional(),
  agent: z.string().describe('Which agent: pi, claude, demo.'),
  model: z.string().optional(),
  name: z.string().optional().describe('What the person called it.'),
  title: z
    .string()
    .optional()
    .describe('The first line of its first prompt, cut short: what it is called without a name.'),
  cwd: z.string().describe('The directory that the agent works in.'),
  state: sessionState,
  createdAt: time,
  updatedAt: time,
  removedAt: time.optional().describe('Deleted, but can still be taken back.'),
  ...liveSummary.shape,
})

/** `POST sessions` */
export const newSession = z.strictObject({
  projectId: z.string().min(1).max(200),
  agent: z.string().min(1).max(100).describe('One of `GET agents`.'),
  model: model.optional(),
  name: label.optional(),
})

/** `GET sessions` */
export const sessionQuery = z.strictObject({
  projectId: z.string().max(200).optional(),
  agent: z.string().max(100).optional(),
  state: sessionState.optional(),
  ...pageQuery,
})

export const sessionPage = z.object({
  sessions: z.array(sessionInfo).describe('Newest first.'),
  next,
})

/** `PATCH sessions/:id`: what is absent stays as it is. */
export const sessionChange = z.strictObject({
  name: label.nullable().optional().describe('Null takes the name away.'),
  removed: z.literal(false).optional().describe('Takes back a DELETE, while that is possible.'),
})
