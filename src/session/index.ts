export type { PromptImage } from '../agents/live.ts'
export type { SessionFilter } from '../log/log.ts'
export type { SessionRecord } from '../log/types.ts'
export { findAgent } from '../process/find-agent.ts'
export { Fault, type FaultCode } from '../shared/fault.ts'
export type {
  ApprovalDecision,
  ApprovalPolicy,
  CommandResult,
  EndReason,
  PendingApproval,
  Session,
} from './conversation/session.ts'
export { openSessions } from './registry/open-sessions.ts'
export type {
  CreatedSession,
  CreateSessionOptions,
  SessionLifecycleEvent,
  Sessions,
  SessionsOptions,
} from './registry/sessions.ts'
