import type { AgentDescription, AgentEntry } from '../../agents/agent.ts'
import type { Bus } from '../../bus/bus.ts'
import type {
  Actor,
  ApprovalMode,
  SessionBudget,
  StampedEvent,
  StartOptions,
  Worktree,
} from '../../events/types.ts'
import type { Prices } from '../../ledger/prices.ts'
import type { InterruptReason } from '../../log/interrupt-reason.ts'
import type { Log, SessionFilter } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import type { Sandbox } from '../../process/sandbox.ts'
import type { BudgetBook, FixedBudget } from '../budgets/budget-book.ts'
import type { SenderOptions, Session } from '../conversation/session.ts'
import type { ProjectRules } from '../rules/project-rules.ts'
import type { RuleBook } from '../rules/rule-book.ts'
import type { ListedConversations, ListedDirectory } from './conversation-lister.ts'
import type { Ownership } from './ownership.ts'
import type { SessionHistory } from './session-history.ts'

/** All sessions of one log. A session is loaded into memory when a command needs it. */
export interface Sessions {
  /** The rules that decide approvals without a person. */
  readonly rules: RuleBook
  /** How calls are decided that no rule covers. */
  readonly policy: ApprovalMode
  /** The budgets that hold for several sessions. */
  readonly budgets: BudgetBook
  /** Creates a session. Its agent starts with the first prompt. */
  create(options: CreateSessionOptions): Promise<CreatedSession>
  /** Rejects with a `Fault` if an agent cannot start in this way. */
  checkStart(options: StartCheck): Promise<void>
  /**
   * Lists the conversations that an agent itself has stored for a directory. Starts a process of the
   * agent for it. Rejects with a `Fault` if the agent cannot, fails, or takes too long.
   */
  conversations(wanted: Omit<ListedDirectory, 'wanted'>): Promise<ListedConversations>
  /**
   * Creates a session of the same agent and directory that continues the conversation of another one,
   * which stays as it is. Its agent copies the conversation when it starts, with the first prompt.
   */
  fork(id: string, options?: ForkSessionOptions): Promise<CreatedSession>
  /** The session with this id; undefined if there is none. */
  get(id: string): Promise<Session | undefined>
  /** The records of the sessions, newest first. */
  list(filter?: SessionFilter): Promise<SessionRecord[]>
  /** Ends the agent of a session whose record is marked as removed. It cannot start again. */
  deactivate(id: string): Promise<void>
  /** Deletes a session with everything that is stored of it, and ends its agent. */
  remove(id: string, options?: SenderOptions): Promise<void>
  /**
   * Deletes a session like `remove`, unless it is pinned or has work: a run, an open approval, or a
   * message that waits. Returns whether it was deleted. `detail` goes into the audit.
   */
  removeIfUnused(id: string, options: SenderOptions & { detail: string }): Promise<boolean>
  /** Resolves when no run is in progress or about to start. */
  idle(): Promise<void>
  /** Kills all agents and everything that they started, without waiting. Commands fail then. */
  kill(): void
  /** Ends all agents and unloads all sessions. Commands fail then. The log stays open. */
  close(): Promise<void>
}

export interface SessionsOptions {
  log: Log
  /** Why the log failed in the last process, if it did: the reason of the runs that it left open. */
  lastFailure?: InterruptReason | undefined
  /** Called for each event once it is durable, in order per session. */
  publish?(event: StampedEvent): void
  /** Gets the same events by subject, and requests for approval. `close` does not close it. */
  bus?: Bus
  /** Called when a session was created, changed or removed, once that is stored. */
  onSession?(event: SessionLifecycleEvent): void
  /** Frees what a session had outside the log, once it is deleted for good. Its errors go to `onError`. */
  releaseDeleted?(record: SessionRecord): Promise<void>
  /** Receives errors thrown by listeners and by background work; Node warnings by default. */
  onError?(cause: unknown): void
  /** The path of an agent’s program; by default from its variable, then from PATH. */
  findProgram?(agent: AgentDescription): string | undefined
  /**
   * Finds the agent of a name for a directory. Rejects if there is none. Default: the agents that come
   * with Sluice.
   */
  agentOf?(name: string, directory: string): Promise<AgentEntry>
  /** How agents run; without a sandbox by default. */
  sandbox?: Sandbox
  /** The data directory. No session may work in it, or in a directory that contains it. */
  data?: string
  /** The environment of the agents; that of this process by default. */
  env?: NodeJS.ProcessEnv
  /** The clock, in ms since 1970. */
  now?(): number
  /** How calls are decided that no rule covers; by a person (`ask`) by default. */
  policy?: ApprovalMode
  /** The stored rules of projects; by default they are only in memory. */
  projectRules?: ProjectRules
  /** Budgets that hold as long as the program runs, beside those in the log. */
  fixedBudgets?: readonly FixedBudget[]
  /** How long an approval may stay open; by default until it is answered. */
  approvalMs?: number
  /** How many agents may run at once; 16 by default. */
  maxAgents?: number
  /** An agent is ended after this time without a run; 15 minutes by default. */
  idleMs?: number
  /** Loads the prices for agents that report no cost. Without it, their cost is unknown. */
  prices?(): Promise<Prices | undefined>
  /** Which node runs a session, where several nodes share the log. */
  ownership?: Ownership | undefined
  /** Carries conversations of agents between nodes that share no directory which has them. */
  history?: SessionHistory | undefined
  /** What the audit calls this program, where a command does not say who sends it. */
  defaultActor?: Actor
}

export interface CreateSessionOptions {
  /** Default: a random one. Rejects if there is such a session. */
  id?: string | undefined
  /** The agent’s name, such as `pi` or `claude`. */
  agent: string
  /** The directory that the agent works in. */
  cwd: string
  model?: string
  name?: string
  /** Shown while there is no name. Default: the first line of the first prompt. */
  title?: string
  projectId?: string
  /** How the agent starts: a `Fault` if the agent does not have an option. */
  start?: StartOptions
  /** The git worktree that `cwd` is in. */
  worktree?: Worktree
  /** The session’s own limits. */
  budget?: SessionBudget
  /** The comparison that the session belongs to. */
  comparisonId?: string
  /** The loop that the session is an iteration of, and which one. */
  loopId?: string
  iteration?: number
  /** The session whose conversation it continues, and the agent’s own id of that. See `fork`. */
  forkedFrom?: string
  forkedNativeId?: string
  /** Where the copy ends: the message of that session, and the agent’s own id of the point. */
  forkedBefore?: string
  forkedAt?: string
  /** The agent’s own id of a conversation to continue, as `conversations` lists it. */
  conversationId?: string
  /** Who creates the session. Default: the program that opened the sessions. */
  by?: Actor | undefined
  /** The key that the session counts for. Default: the id of `by`. */
  creatorId?: string | undefined
}

/** How an agent is to start. */
export type StartCheck = Pick<CreateSessionOptions, 'agent' | 'cwd'> & {
  worktree?: Worktree | undefined
  start?: StartOptions | undefined
}

export interface ForkSessionOptions
  extends Pick<CreateSessionOptions, 'id' | 'name' | 'by' | 'creatorId'> {
  /** Id of a prompt: the copy ends before it. Default: everything is copied. */
  beforeMessage?: string | undefined
}

export interface CreatedSession {
  record: SessionRecord
  session: Session
}

/** What happened to a session as a whole, once it is stored. */
export type SessionLifecycleEvent =
  | { type: 'session_created' | 'session_updated'; session: SessionRecord }
  | { type: 'session_removed'; sessionId: string }
