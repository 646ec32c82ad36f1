import type {
  ApprovalReply,
  ContextShare,
  ForkPoint,
  PromptImage,
  RestoredFiles,
} from '../../agents/live.ts'
import type { PayloadOf } from '../../bus/subjects/table.ts'
import type {
  Actor,
  AgentSwitch,
  EventOf,
  QueueItem,
  RememberedRule,
  StampedEvent,
} from '../../events/types.ts'
import type { LogFaultCode } from '../../log/log-fault.ts'
import type { FaultCode } from '../../shared/fault.ts'
import type { OnceKey } from './receipts.ts'

/**
 * One conversation with one agent. A command that needs the agent starts its process, which
 * continues the conversation where it stopped.
 */
export interface Session {
  /** Whether a run is in progress, or a prompt is on its way to the agent. */
  isBusy(): boolean
  /** Whether the agent’s process is running or starting. */
  isAlive(): boolean
  /** Starts a run. The result is `busy` during a run: use `steer` or `followUp` then. */
  prompt(text: string, options?: MessageOptions): Promise<CommandResult>
  /** Sends a message that the agent reads as soon as it can. Starts a run if none is in progress. */
  steer(text: string, options?: MessageOptions): Promise<CommandResult>
  /** Sends a message that the agent reads after the run. Starts a run if none is in progress. */
  followUp(text: string, options?: MessageOptions): Promise<CommandResult>
  /** The messages that wait to be delivered to the agent, in the order of delivery. */
  queuedMessages(): Promise<QueueItem[]>
  /** Replaces the text of a message that waits. */
  editQueued(messageId: string, text: string, options?: SenderOptions): Promise<CommandResult>
  /** Removes a message from the queue, also one that the agent has and gives back. */
  removeQueued(messageId: string, options?: SenderOptions): Promise<CommandResult>
  /** Sends a message that waits: as a steer during a run, as a prompt otherwise. */
  sendQueued(messageId: string, options?: SenderOptions): Promise<CommandResult>
  /** Stops the run: by the agent’s own protocol, then by signals if the agent does not obey. */
  abort(options?: SenderOptions): Promise<void>
  /** Stops a background task. The result is `gone` if the agent is not running. */
  stopTask(taskId: string, options?: SenderOptions): Promise<CommandResult>
  /** Makes the agent summarize the conversation, which frees its context window. */
  compact(instructions?: string, options?: SenderOptions): Promise<CommandResult>
  /** Changes the model. Where the agent can list its models, a part of the name may be enough. */
  setModel(name: string, options?: SenderOptions): Promise<CommandResult>
  /** The models that the agent offers; undefined if it is not running or cannot list them. */
  models(): Promise<string[] | undefined>
  /** What the context consists of; undefined if the agent is not running or cannot say it. */
  contextParts(): Promise<ContextShare[] | undefined>
  /** The points where a copy of the conversation can end, as the agent lists them; starts the agent. */
  forkPoints(): Promise<ForkPoint[]>
  /**
   * Restores the files that the agent edited to their state before a message; starts the agent if
   * needed. The conversation stays as it is.
   */
  rewind(messageId: string, options?: HistoryOptions): Promise<RewindOutcome>
  /** Changes how much the model thinks; the agent defines the levels. */
  setThinking(level: string, options?: SenderOptions): Promise<CommandResult>
  /** Changes the permission mode; the agent defines the modes. */
  setMode(mode: string, options?: SenderOptions): Promise<CommandResult>
  /** Switches something on or off that the agent does by itself. */
  setSwitch(name: AgentSwitch, isOn: boolean, options?: SenderOptions): Promise<CommandResult>
  /** Runs a shell command through the agent, which can use its output from then on. */
  runShell(command: string, options?: SenderOptions): Promise<CommandResult>
  /** Stops the shell commands that people run through the agent. */
  stopShell(options?: SenderOptions): Promise<CommandResult>
  /** Names the conversation in the agent’s own history, too; starts the agent if needed. */
  setName(name: string): Promise<CommandResult>
  /** Names the session without starting the agent. An empty name removes the name. */
  rename(name: string, options?: SenderOptions): Promise<void>
  /** Answers an approval request. False if the request is no longer open. */
  answer(approvalId: string, decision: ApprovalDecision): boolean
  /** The approval requests that are open. */
  pendingApprovals(): PendingApproval[]
  /** Resolves when no run is in progress and all events are stored and published. */
  idle(): Promise<void>
  /** Ends the agent’s process. The next command starts it again. */
  stop(reason?: EndReason): Promise<void>
}

/** Who sends a command. Events show the name, and the audit has the rest. */
export interface SenderOptions {
  /** Default: the program that opened the sessions. */
  by?: Actor | undefined
}

export interface HistoryOptions extends SenderOptions {
  /** Nothing is changed: the result says what would be. */
  dryRun?: boolean | undefined
}

/** What became of a request to restore files. */
export type RewindOutcome =
  | Exclude<CommandResult, { outcome: 'accepted' }>
  | { outcome: 'accepted'; files: RestoredFiles }

/** What a message has beside its text. */
export interface MessageOptions extends SenderOptions {
  images?: PromptImage[] | undefined
  /** Text, PDF files or images. Their types are found by their content. */
  files?: FileToAttach[] | undefined
  /** How the same request is recognised when it is sent again, also after a crash. */
  once?: OnceKey | undefined
}

/** A file that is sent with a message. */
export interface FileToAttach {
  name: string
  /** In Base64. */
  data: string
}

/** A session as the registry holds it: it can also be taken out of memory. */
export interface OwnedSession extends Session {
  /** Whether nothing is interrupted by unloading: no run, no open approval. */
  canUnload(): boolean
  /** Ends the agent’s process for good. Messages that are still queued are stored. */
  unload(reason: EndReason): Promise<void>
  /** Records an error, and ends the agent’s process by signals, if a run is in progress. */
  interrupt(reason: Pick<EventOf<'error'>, 'code' | 'message'>): Promise<void>
  /** Sends the next queued message, if that was put off because the log could not store anything. */
  sendWaiting(): void
  /** An event of the session is durable. */
  eventStored(event: StampedEvent): void
  /** Kills the agent’s process and everything that it started, without waiting. */
  kill(): void
}

/** The result of a command. */
export type CommandResult =
  /** The agent accepted the command. */
  | { outcome: 'accepted' }
  /** The command was written, but the agent did not confirm it in time. */
  | { outcome: 'unanswered' }
  /** The agent’s process ended before it accepted the command. */
  | { outcome: 'gone'; error?: string }
  /** This agent does not support the command. */
  | { outcome: 'unsupported'; error?: string }
  /** A run is in progress. */
  | { outcome: 'busy'; error: string }
  /** The agent, or the session on its behalf, refused the command. */
  | { outcome: 'refused'; error: string }
  /** The message is not in the queue. */
  | { outcome: 'not_queued'; error: string }
  /** The agent has the message already. */
  | { outcome: 'already_sent'; error: string }
  /** The command did not reach the agent. */
  | { outcome: 'failed'; error: string; code?: FaultCode | LogFaultCode }

/** An approval request that is open. After its deadline (ms since 1970), if it has one, it is denied. */
export interface PendingApproval extends EventOf<'approval_request'> {
  hash: string
}

/** The answer to an approval request. */
export interface ApprovalDecision extends ApprovalReply {
  /** Who decided. */
  by?: string
  /** Who sent the decision, for the audit. Default: the program that opened the sessions. */
  actor?: Actor
  /** By how much a limit is raised, in its own unit. Default: by the limit as it was set at first. */
  raise?: number
  /** Also allows later calls by a rule, which must cover the call that is answered. */
  remember?: RememberedRule
}

/** Why the agent’s process ended. */
export type EndReason = PayloadOf<'session.ended'>['reason']
