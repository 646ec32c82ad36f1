export type { SessionState } from '../events/types.ts'

import { z } from 'zod'
import { sessionState } from '../events/session-state.ts'
import { checked } from './stored.ts'
import type { SessionRecord } from './types.ts'

export { sessionState } from '../events/session-state.ts'

const time = z.number().int().describe('In ms since 1970, by the caller’s clock.')

/** What is known of a session beside its events. */
export const sessionRecord = z.strictObject({
  id: z.string().min(1),
  agent: z.string().describe('Which agent: pi, claude.'),
  projectId: z.string().optional(),
  cwd: z.string().describe('The directory that the agent works in.'),
  name: z.string().optional().describe('What the person called it.'),
  title: z
    .string()
    .optional()
    .describe('The first line of its first prompt, cut short: what it is called without a name.'),
  model: z.string().optional(),
  nativeId: z.string().optional().describe('The agent’s own session id, to resume it by.'),
  state: sessionState,
  createdAt: time,
  updatedAt: time,
  pid: z.number().int().positive().optional().describe('The agent’s process, while it lives.'),
  pidStartedAt: z
    .number()
    .optional()
    .describe('When that process began, as the system counts: pids are used again.'),
  removedAt: time.optional().describe('Set aside: lists leave it out, its rows are still there.'),
})

type Kept = 'agent' | 'cwd' | 'state' | 'updatedAt'
type Taken = Exclude<keyof SessionRecord, Kept | 'id' | 'createdAt'>
/** What may change of a session: null takes a field away, undefined leaves it alone. */
export type SessionPatch = { [Key in Kept]?: SessionRecord[Key] | undefined } & {
  [Key in Taken]?: SessionRecord[Key] | null
}

/** The record as a patch makes it. */
export const patchSession = (record: SessionRecord, patch: SessionPatch): SessionRecord => {
  const said = Object.entries(patch).filter(([, value]) => value !== undefined)
  const fields = Object.entries({ ...record, ...Object.fromEntries(said) })
  return checked(sessionRecord, Object.fromEntries(fields.filter(([, value]) => value !== null)))
}
