import type { AuditPage, AuditQuery } from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'

/** Calls about the audit: who did what. */
export interface AuditCalls {
  /** Returns a page of entries, newest first. */
  list(query?: AuditQuery, options?: CallOptions): Promise<AuditPage>
}

const isAuditPage = hasFields<AuditPage>('entries')

export const auditCalls = (caller: Caller): AuditCalls => ({
  list: (query = {}, options) =>
    caller.json({ path: 'audit', query: { ...query } }, isAuditPage, options),
})
