import { z } from 'zod'
import { auditAction, auditEntry } from '../events/audit-entry.ts'
import { queryNumber } from './fields.ts'

export const auditQuery = z
  .strictObject({
    sessionId: z.string().max(200).optional().describe('Only actions on this session.'),
    actor: z.string().max(200).optional().describe('Name or id of a key or browser.'),
    action: auditAction.optional().describe('Only actions of this kind.'),
    before: queryNumber(1).optional().describe('Only entries with a lower `id`.'),
    limit: queryNumber(1, 500).optional().describe('Maximum number of entries. Default: 100.'),
  })
  .describe('Query of `GET audit`.')

export const auditPage = z
  .object({
    entries: z.array(auditEntry).describe('Entries, newest first.'),
    next: z
      .number()
      .int()
      .optional()
      .describe('Pass it as `before` to get the next page. Absent on the last page.'),
  })
  .describe('Response of `GET audit`.')
