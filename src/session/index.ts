export { findAgent } from '../process/find-agent.ts'
export type { ApprovalPolicy, Decision, PendingApproval } from './conversation/approvals.ts'
export type { CommandResult } from './conversation/command-result.ts'
export type { EndReason } from './conversation/runner.ts'
export type { Session } from './conversation/session.ts'
export type { SessionNews } from './registry/session-lifecycle.ts'
export {
  type NewSession,
  openSessions,
  type Sessions,
  type SessionsOptions,
} from './registry/sessions.ts'
