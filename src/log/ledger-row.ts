import { z } from 'zod'
import { ledgerState } from '../events/ledger-state.ts'
import { tokenCounts, usageProvenance } from '../events/usage.ts'
import type { LedgerMark } from './types.ts'

/** What one model call, compaction or report added to a session’s account. */
export const ledgerRow = z.strictObject({
  sessionId: z.string(),
  key: z.string().min(1).describe('What it is for, such as a message id. Said again, it replaces.'),
  timestamp: z.number().int().describe('In ms since 1970.'),
  model: z.string(),
  tokens: tokenCounts,
  costUsd: z.number().nonnegative().optional().describe('Absent while no amount is known.'),
  provenance: usageProvenance,
  period: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('Between which two reports of the agent it came.'),
})

/** Up to which event the rows of a session reach, and what else its account knew there. */
export const ledgerMark = z.strictObject({
  seq: z.number().int().nonnegative(),
  state: ledgerState,
})

/** A mark as it was stored. It saves reading events again: one that cannot be read is none. */
export const readMark = (text: string): LedgerMark | undefined =>
  ledgerMark.safeParse(JSON.parse(text)).data
