export { blobRef } from '../events/blob-ref.ts'
export { sessionState } from '../events/session-events.ts'
export type { BlobRef, SessionState } from '../events/types.ts'
export type * from './audit-store.ts'
export type { ExtractedBlob } from './blobs/blob-collector.ts'
export { blobRefOf } from './blobs/blob-ref.ts'
export { blobThresholdBytes, type ExtractedEvent, extractBlobs } from './blobs/extract-blobs.ts'
export { budgetRecord, raisedLimits } from './budget-record.ts'
export {
  commandFile,
  commandImage,
  commandKey,
  commandKind,
  commandReceipt,
  commandRecord,
  commandState,
} from './command-record.ts'
export * from './log.ts'
export { LogFault, type LogFaultCode } from './log-fault.ts'
export { type LogHealth, type LogState, type LogStatus, refusalOf } from './log-status.ts'
export { loopRecord, loopRunner } from './loop-record.ts'
export { openMemoryLog } from './memory/memory-log.ts'
export type { MovedReceipt, MovedSpending, MovedStore } from './moved.ts'
export { passkeyRecord } from './passkey-record.ts'
export {
  approvalRecord,
  approvalStatus,
  browserRecord,
  keyRecord,
  ledgerCheckpoint,
  ledgerRow,
  projectRecord,
  type SessionPatch,
  sessionRecord,
  settingRecord,
  trustRecord,
} from './records.ts'
export {
  type SpendingField,
  type SpendingQuery,
  type SpendingRange,
  type SpendingRow,
  type SpendingSpan,
  type SpendingStore,
  spendingStepMs,
} from './spending.ts'
export type { SqliteOptions } from './sqlite/context.ts'
export { lockHolder } from './sqlite/lock.ts'
export { listSqliteSessions, openSqliteLog } from './sqlite/sqlite-log.ts'
export type * from './types.ts'
export type { WriteQueue } from './write-queue.ts'
