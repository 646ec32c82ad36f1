import type { ApprovalRecord } from './types.ts'

/** Whether a stored record has the outcome of a request that a late write still takes for pending. */
export const isDecided = (stored: ApprovalRecord | undefined, next: ApprovalRecord): boolean =>
  stored !== undefined &&
  stored.status !== 'pending' &&
  next.status === 'pending' &&
  stored.createdAt === next.createdAt
