export type { PromptImage } from '../agents/live.ts'
export type { ApprovalMode } from '../events/types.ts'
export type { SessionFilter } from '../log/log.ts'
export type { SessionRecord } from '../log/types.ts'
export { findAgent } from '../process/find-agent.ts'
export { Fault, type FaultCode } from '../shared/fault.ts'
export type {
  ApprovalDecision,
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
export { createProjectRules, type ProjectRules } from './rules/project-rules.ts'
export type { RuleBook } from './rules/rule-book.ts'
