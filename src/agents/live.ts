import type {
  AgentEvent,
  AgentSwitch,
  ApprovalAnswers,
  EventOf,
  StartOptions,
} from '../events/types.ts'
import type { Shortcut } from '../lines/index.ts'
import type { Decoder, DecoderOptions } from './agent.ts'
import type { ConversationListing, ListingOptions } from './conversations.ts'
import type { Workspace } from './workspace.ts'

/** How to drive an agent while it runs. */
export interface Live {
  /** Whether the agent or the session queues messages that are sent during a run. */
  readonly queue: 'agent' | 'session'
  /** Arguments that start the agent. */
  args(options: LiveOptions): string[]
  /** Connects to a process that was just started. */
  connect(options: ConnectOptions): Connection
  /** Whether the agent’s last stderr says that it does not have the session to resume. */
  isUnknownSession?(stderr: string): boolean
  /**
   * How the points are known where a copy can end. `reported`: the ends of runs have a `forkPoint`.
   * `requested`: a process lists them. Absent: only the whole conversation can be copied.
   */
  readonly forkPoints?: 'reported' | 'requested'
  /** Lists the conversations that the agent itself has stored; absent if no version of it can. */
  listConversations?(options: ListingOptions): ConversationListing
}

export interface ConnectOptions extends LiveOptions, DecoderOptions {
  /** The directory that the agent works in. */
  cwd: string
  /** Writes lines to the agent’s stdin. */
  write(lines: readonly unknown[]): void
  /** Reports events that no line of the agent brings. */
  emit(events: readonly AgentEvent[]): void
  /** The project, for agents that use it through their client; absent if Sluice does not offer that. */
  workspace?: Workspace
}

/**
 * The connection to one process of an agent: it reads what the process prints and writes commands,
 * with the ids and the handshake of the agent’s protocol. No clock, no I/O of its own.
 */
export interface Connection {
  /** Reads the lines of this process. They may differ from those of a one-shot run. */
  readonly decoder: Decoder
  /** Reads frequent lines without parsing them whole. */
  readonly shortcut?: Shortcut<unknown>
  /** Writes what the agent expects first. */
  open(): void
  /** Writes a command, or keeps it until the handshake is over. */
  send(command: Command): SendKind
  /** Requests of the agent what an event does not say. */
  follow?(event: AgentEvent): void
  /** How to request the agent’s state at any time. */
  readonly state?: {
    request: SendQuery
    /** Whether the response says that a run is open. */
    isWorking(response: unknown): boolean
  }
  /** How to request the models that the agent can use. */
  readonly models?: {
    request: SendQuery
    /** The names in the response, as `setModel` accepts them. */
    namesIn(response: unknown): string[]
    /** The full name of a model that a person named in part. */
    find?(name: string, names: readonly string[]): string | undefined
  }
  /** How to take back a message that the agent has and has not read. */
  readonly withdrawal?: {
    request(id: string, messageId: string): void
    /** What the response says about a message with this text. */
    resultOf(response: unknown, text: string): Withdrawal
  }
  /** How to request what the context of the model consists of. */
  readonly context?: {
    request: SendQuery
    partsIn(response: unknown): ContextShare[]
  }
  /** How to request the points where a copy of the conversation can end. */
  readonly forkPoints?: {
    request: SendQuery
    pointsIn(response: unknown): ForkPoint[]
  }
  /** How to restore the files that the agent edited to their state before a message. */
  readonly rewind?: {
    /** `dryRun`: nothing is changed. */
    request(id: string, messageId: string, dryRun: boolean): void
    resultOf(response: unknown): RestoredFiles
  }
}

/** Requests something. The reply comes through `onReply` with the same id. */
export type SendQuery = (id: string) => void

/** `written`: a command is accepted once it is written. `replies`: the agent’s reply decides. */
export type SendKind = 'written' | 'replies' | 'unsupported'

/** What became of a request to give a message back. */
export interface Withdrawal {
  /** Whether the agent will not read the message. */
  isWithdrawn: boolean
  /** Texts of other messages that the agent gave back, too: they must be sent again. */
  others: readonly string[]
}

/** A point where a copy of a conversation can end: before a message of the user. */
export interface ForkPoint {
  /** The agent’s own id of the point. */
  id: string
  /** Text of the message. */
  text: string
}

/** Which files an agent restored, or would restore. */
export interface RestoredFiles {
  paths: string[]
  /** Lines that the restored files have in addition. Absent if the agent does not report it. */
  insertions?: number
  deletions?: number
  /** Why nothing can be restored, as the agent reports it. */
  problem?: string
}

/** One part of the context of the model, in the agent’s own term. */
export interface ContextShare {
  name: string
  tokens: number
}

export interface LiveOptions {
  model?: string
  /** The version of the agent’s program; absent if it is unknown. */
  version?: string | undefined
  /** The agent’s own id of the session to resume. */
  resume?: string
  /** With `resume`: fail if the agent does not have the conversation, instead of starting a new one. */
  mustResume?: true
  /** Continue a copy of the conversation `resume`, under a new id. The original stays as it is. */
  fork?: true
  /** With `fork`: where the copy ends, as the agent named the point. Default: at the end. */
  forkAt?: string
  /** Request an approval before every tool call, if the agent does not do so by itself. */
  requestApprovals?: boolean
  /** What a person chose for the session: only options that the agent’s `start` names. */
  start?: StartOptions
  extra?: readonly string[]
}

/** A command to a running agent. The agent’s reply carries the same id. */
export type Command =
  | {
      type: 'prompt' | 'steer' | 'followUp'
      id: string
      text: string
      images?: PromptImage[]
      /** Only of kinds that the agent’s capability `files` names. */
      files?: PromptFile[]
    }
  /** `sent`: ids of messages that the agent has received and not started; they are withdrawn. */
  | { type: 'abort'; id: string; sent?: readonly string[] }
  | { type: 'stopTask'; id: string; taskId: string }
  | { type: 'compact'; id: string; instructions?: string }
  | { type: 'setModel'; id: string; model: string }
  | { type: 'setThinking'; id: string; level: string }
  /** `mode`: the id of a permission mode. */
  | { type: 'setMode'; id: string; mode: string }
  | { type: 'setSwitch'; id: string; name: AgentSwitch; isOn: boolean }
  /** Runs a shell command of a person through the agent. */
  | { type: 'shell'; id: string; command: string }
  | { type: 'abortShell'; id: string }
  | { type: 'setName'; id: string; name: string }
  | { type: 'answer'; id: string; request: EventOf<'approval_request'>; answer: ApprovalReply }

/** An image in a prompt. */
export interface PromptImage {
  data: string
  mimeType: string
}

/** A file in a prompt that is not an image. */
export interface PromptFile {
  name: string
  mimeType: 'text/plain' | 'application/pdf'
  /** In Base64. */
  data: string
}

/** The decision of a person about an approval request. */
export interface ApprovalReply {
  action: 'allow' | 'deny'
  /** Arguments to run the tool with instead of the requested ones. */
  updatedInput?: unknown
  /** Id of the chosen one of the request’s `options`. Without it: see `chosenOption`. */
  optionId?: string
  /** Message to the model about the decision. */
  message?: string
  /** The answers to the request’s `questions`, by question. */
  answers?: ApprovalAnswers
  /** Also lets the agent edit files without a request from now on. */
  acceptEdits?: true
  /** What was chosen or typed in the request’s `dialog`. */
  value?: string
  /** Nobody decided: the time is over, or the run was stopped. */
  isUnanswered?: true
}

/** The agent’s reply to a command. It is not an event: only the sender of the command needs it. */
export interface CommandReply {
  id: string
  ok: boolean
  error?: string
  data?: unknown
}

/** Prefix of the ids of requests that an agent may not support: its refusal is not an error. */
export const optionalRequestPrefix = 'quiet-'
