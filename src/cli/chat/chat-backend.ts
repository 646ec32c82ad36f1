import type { AgentSwitch, StampedEvent } from '../../events/types.ts'
import type { CallPreview } from '../../preview/preview-call.ts'
import type {
  ApprovalDecision,
  CommandResult,
  FileToAttach,
} from '../../session/conversation/session.ts'
import type { RuleListing } from '../../session/rules/rule-book.ts'
import type { AgentChoices } from './agent-choices.ts'
import type { ApprovalRequest } from './approval-prompt.ts'
import type { OfferedRules } from './offered-rules.ts'

/** The session of a chat: in this process, or on a server. */
export interface ChatBackend {
  readonly id: string
  /** The directory of the session; undefined when it is on another machine. */
  readonly directory?: string | undefined
  /** Whether a run goes on when the chat ends. */
  readonly outlivesChat: boolean
  /** Why no messages can be sent, and what to do instead. */
  readonly readOnly?: string | undefined
  /** What can be changed about the agent, before its events say more. */
  readonly choices: AgentChoices
  /** Passes each event on once it is stored, in order, except the messages that were typed here. */
  listen(listener: (event: StampedEvent) => void): void
  /** The latest events, at most so many, before those that `listen` passes on. */
  history(limit: number): Promise<ChatHistory>
  /** Asks whether to trust the files of the directory, if nobody decided yet. */
  offerTrust(): Promise<void>
  /** Whether a run is in progress, or a message is on its way. */
  isBusy(): boolean
  /** Starts a run. */
  prompt(text: string, attached?: ChatAttachments): Promise<CommandResult>
  /** Sends a message into the run. */
  steer(text: string, attached?: ChatAttachments): Promise<CommandResult>
  /** Sends a message that the agent reads after the run. */
  followUp(text: string, attached?: ChatAttachments): Promise<CommandResult>
  /** Stops the run. */
  abort(): Promise<void>
  /** Changes what the agent may do without approval. */
  setMode(mode: string): Promise<CommandResult>
  /** Changes how much the model thinks. */
  setThinking(level: string): Promise<CommandResult>
  /** Changes the model. */
  setModel(name: string): Promise<CommandResult>
  /** The models to choose from; empty if they are not known. */
  models(): Promise<readonly string[]>
  /** Makes the agent summarize the conversation. */
  compact(instructions: string | undefined): Promise<CommandResult>
  /** Switches something on or off that the agent does by itself. */
  setSwitch(name: AgentSwitch, isOn: boolean): Promise<CommandResult>
  /** Stops a task that runs in the background. */
  stopTask(taskId: string): Promise<CommandResult>
  /** Runs a shell command through the agent. */
  runShell(command: string): Promise<CommandResult>
  /** Stops the shell commands. */
  stopShell(): Promise<CommandResult>
  /** Resolves when no run is in progress and its events have been passed on. */
  idle(): Promise<void>
  /** The approval requests that are open. */
  pendingApprovals(): readonly ApprovalRequest[]
  /** What a request would do, and the rules to offer with it. */
  previewRequest(request: ApprovalRequest): Promise<RequestPreview>
  /** Answers a request. Returns why it could not be answered, if the request is still open. */
  answer(approvalId: string, decision: ApprovalDecision): Promise<string | undefined>
  /** The rules that hold. */
  rules(): Promise<RuleListing>
  /** Removes a rule; false when it was not there. */
  removeRule(ruleId: string): Promise<boolean>
  /** Kills the agent at once, if it runs in this process. */
  kill(): void
  /** Ends what the chat has opened. The last events are passed on before it resolves. */
  close(): Promise<void>
}

/** What a message of a chat has beside its text. */
export interface ChatAttachments {
  files: FileToAttach[]
}

/** Events of a session, before a chat shows the live ones. */
export interface ChatHistory {
  events: readonly StampedEvent[]
  /** Whether they are all events of the session. */
  isWhole: boolean
}

/** What is shown with an approval request. */
export interface RequestPreview {
  preview: CallPreview
  /** Absent if no rule could allow the call. */
  rules?: OfferedRules | undefined
}
