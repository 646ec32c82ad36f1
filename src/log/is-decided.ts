import type { ApprovalRecord } from './types.ts'

/** Whether a stored approval is decided, and the next record is an older one of the same request. */
export const isDecided = (stored: ApprovalRecord | undefined, next: ApprovalRecord): boolean =>
  stored !== undefined &&
  stored.status !== 'pending' &&
  next.status === 'pending' &&
  stored.createdAt === next.createdAt
