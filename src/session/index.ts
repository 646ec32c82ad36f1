export { findAgent } from '../process/find-agent.ts'
export type { ApprovalDecision, ApprovalPolicy, PendingApproval } from './conversation/approvals.ts'
export type { CommandResult } from './conversation/command-result.ts'
export type { EndReason } from './conversation/runner.ts'
export type { Session } from './conversation/session.ts'
export type { SessionLifecycleEvent } from './registry/session-lifecycle.ts'
export {
  type CreateSessionOptions,
  openSessions,
  type Sessions,
  type SessionsOptions,
} from './registry/sessions.ts'
