import { z } from 'zod'
import { provenance, usage } from '../events/usage.ts'

/** What one model call, compaction or report added to a session’s account. */
export const ledgerRow = z.strictObject({
  sessionId: z.string(),
  key: z.string().describe('What it is for, such as a message id. Said again, it replaces.'),
  timestamp: z.number().int().describe('In ms since 1970.'),
  model: z.string(),
  tokens: usage.pick({
    input: true,
    output: true,
    cacheRead: true,
    cacheWrite: true,
    reasoning: true,
  }),
  costUsd: z.number().nonnegative().optional().describe('Absent while no amount is known.'),
  provenance: z.strictObject({ tokens: provenance, cost: provenance.nullable() }),
})
export type LedgerRow = z.infer<typeof ledgerRow>
