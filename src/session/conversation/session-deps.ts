import type { Agent } from '../../agents/agent.ts'
import type { LineTap } from '../../agents/stream.ts'
import type { SessionLimits } from '../../budget/session-limits.ts'
import type { Actor, AuditAction, BudgetLimits, StartOptions } from '../../events/types.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { CommandStore } from '../../log/log.ts'
import type { Sandbox } from '../../process/sandbox.ts'
import type { AgentStart } from '../../trust/trusted-projects.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { SessionRules } from '../rules/session-rules.ts'
import type { AcceptedMessage } from './receipts.ts'
import type { EndReason } from './session.ts'

/** What a session needs from outside. */
export interface SessionDeps {
  /** The session’s id. It is set in the environment of the agent and of all that the agent starts. */
  id: string
  /** By which a later server finds what the agent started, if this one crashes. */
  markKey?: number
  agent: Agent
  /** Path of the agent’s program, read before each start; throws a Fault if there is none. */
  program(): string
  cwd: string
  /** How the agent starts in its directory, read before each start. By default it loads everything. */
  startInProject?(): Promise<AgentStart>
  env?: NodeJS.ProcessEnv
  /** How the agent runs; without a sandbox by default. */
  sandbox?: Sandbox
  /** Whether the agent requests an approval before every tool call, even if it would not by itself. */
  requestApprovals?: boolean
  recorder: Recorder
  /** Receives the agent’s lines in its own format. */
  lineTap?: LineTap
  /** Whether no new work may start, because it could not be stored. */
  isWorkRefused?(): boolean
  /** Stores messages until the events show what became of them. */
  commands: Pick<CommandStore, 'add' | 'setState' | 'setText' | 'close' | 'remove'>
  /** Throws a LogFault if new work could not be stored. */
  checkLog?(): Promise<void>
  /** Receives errors of background work. */
  onError(cause: unknown): void
  now(): number
  /** Called when a field of the session’s record changes. */
  onRecord(change: RecordChange): void
  /** Called when the agent accepts a prompt that starts a run; not for queued messages. */
  onPrompt?(text: string): void
  /** Who sends commands that do not say it. */
  defaultActor?: Actor
  /** Called when somebody did something to the session; refused commands are left out. */
  onAction?(action: SessionAction): void
  /** Called when the ledger is complete up to the last stamped event and can be stored. */
  onCheckpoint?(): void
  /** Called when the process has ended; its last events may not be stored yet. */
  onEnd?(reason: EndReason, errorMessage: string | undefined): void
  /** Makes room for one more process; rejects with a Fault if the limit is reached. */
  makeRoom?(): Promise<void>
  /** Decides approvals without a person where it can; answers add to it. */
  rules?: SessionRules
  /** The limits that hold for the session; none by default. */
  limits?: SessionLimits
  /** How long the agent has worked before, in ms. */
  workedMs?: number
  /** How long an approval request may stay open. Without it, requests wait for an answer. */
  approvalMs?: number
  /** How long an agent may take to obey an abort before it gets signals; 5 seconds by default. */
  abortMs?: number
  /** How long an agent may take to reply to a command. */
  replyMs?: number
  /** How long an agent that cannot wait may be paused before it is stopped. */
  patienceMs?: number
  /** How long an agent may print nothing after a prompt before a notice says so; 30 seconds by default. */
  silentMs?: number
  /** How long a run may take to start before Sluice asks the agent whether it is working. */
  runStartMs?: number
}

/** What somebody did to a session. */
export interface SessionAction {
  action: AuditAction
  by?: Actor | undefined
  detail?: string | undefined
}

/** Fields of a session’s record that changed. */
export interface RecordChange {
  /** The agent’s own id of the conversation. */
  nativeId?: string
  /** Whether the agent reported that it can continue a copy of the conversation. */
  canFork?: boolean
  model?: string
  permissionMode?: string
  /** How the agent starts. */
  start?: StartOptions
  name?: string
  title?: string
  /** The agent’s process; null when it has ended. */
  pid?: number | null
  state?: 'idle' | 'running'
  /** A person or the agent did something in the conversation. */
  isActive?: true
  /** How long the agent has worked, in ms. */
  workedMs?: number
  /** By how much limits were raised for this session, by the id of their budget. */
  raised?: Record<string, BudgetLimits>
  /** Project files that the agent started without; null if there are none. */
  leftOut?: string[] | null
}

/**
 * How the files of the agent’s conversation came to this node, where another one had the session before.
 * `restored`: from what that node had stored. `missing`: they did not, and are not here. `older`: they did not, but
 * there is a copy here.
 */
export type ConversationArrival =
  | { outcome: 'restored'; node: string }
  | { outcome: 'missing'; reason: string }
  | { outcome: 'older'; node: string; reason: string }

/** Where a session starts. */
export interface SessionStart {
  model?: string
  /** What was chosen for the agent’s start. */
  start?: StartOptions
  /** The agent’s own id of the conversation to continue. */
  nativeId?: string
  /** The agent’s own id of a conversation from before the session, while the session has no id of its own. */
  continuedNativeId?: string
  /** The agent’s own id of the conversation to copy, while the session has none of its own. */
  forkedNativeId?: string
  /** The agent’s own id of the point where that copy ends. Default: at its end. */
  forkedAt?: string
  /** The session whose conversation this one continues. */
  forkedFrom?: string
  /** The message of that session which the copy ends before. */
  forkedBefore?: string
  /** The seq of the last stored event; 0 for a new session. */
  head: number
  /** The ledger after those events. */
  ledger?: Ledger
  arrival?: ConversationArrival
  /** The messages in the session’s queue. */
  queued?: readonly AcceptedMessage[]
}
