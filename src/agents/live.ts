import type { AgentEvent, ApprovalAnswers, EventOf, StartOptions } from '../events/types.ts'

/** How to drive an agent while it runs. Pure: it turns commands into lines for stdin. */
export interface Live {
  /** Arguments that start the agent. */
  args(options: LiveOptions): string[]
  /** Lines to write as soon as the agent runs. */
  opening(): readonly unknown[]
  /** The lines of a command; undefined if the agent does not support it. */
  encode(command: Command): readonly unknown[] | undefined
  /** Lines to write after an event, to request what the event does not say. */
  follow?(event: AgentEvent): readonly unknown[]
  /** How to request the agent’s state at any time. */
  readonly state?: {
    request(id: string): readonly unknown[]
    /** Whether the response says that a run is open. */
    isWorking(response: unknown): boolean
  }
  /** How to request the models that the agent can use. */
  readonly models?: {
    request(id: string): readonly unknown[]
    /** The names in the response, as `setModel` accepts them. */
    namesIn(response: unknown): string[]
    /** The full name of a model that a person named in part. */
    find?(name: string, names: readonly string[]): string | undefined
  }
  /** How to take back a message that the agent has and has not read. */
  readonly withdrawal?: {
    request(id: string, messageId: string): readonly unknown[]
    /** What the response says about a message with this text. */
    resultOf(response: unknown, text: string): Withdrawal
  }
  /** How to request what the context of the model consists of. */
  readonly context?: {
    request(id: string): readonly unknown[]
    partsIn(response: unknown): ContextShare[]
  }
  /** Whether the agent’s last stderr says that it does not have the session to resume. */
  isUnknownSession?(stderr: string): boolean
  /** Whether the agent or the session queues messages that are sent during a run. */
  readonly queue: 'agent' | 'session'
}

/** What became of a request to give a message back. */
export interface Withdrawal {
  /** Whether the agent will not read the message. */
  isWithdrawn: boolean
  /** Texts of other messages that the agent gave back, too: they must be sent again. */
  others: readonly string[]
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
  /** Continue a copy of the conversation `resume`, under a new id. The original stays as it is. */
  fork?: true
  /** Request an approval before every tool call, if the agent does not do so by itself. */
  requestApprovals?: boolean
  /** What a person chose for the session: only options that the agent’s `start` names. */
  start?: StartOptions
  extra?: readonly string[]
}

/** A command to a running agent. The agent’s reply carries the same id. */
export type Command =
  | { type: 'prompt' | 'steer' | 'followUp'; id: string; text: string; images?: PromptImage[] }
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

/** What an agent does by itself and a person can switch off. */
export type AgentSwitch = 'autoCompaction' | 'autoRetry'

/** An image in a prompt. */
export interface PromptImage {
  data: string
  mimeType: string
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
