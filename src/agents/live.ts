import type { AgentEvent, ApprovalAnswers, EventOf } from '../events/types.ts'

/** An image that goes along with a prompt. */
export interface PromptImage {
  data: string
  mimeType: string
}

/** What a person decided about a request of the agent. */
export interface ApprovalReply {
  action: 'allow' | 'deny'
  /** Run it with these arguments instead. */
  updatedInput?: unknown
  /** Told to the model when denied. */
  message?: string
  /** The answers to the request’s `questions`, by question. */
  answers?: ApprovalAnswers
  /** What was chosen or typed in the request’s `dialog`. */
  value?: string
}

/** What can be asked of a running agent. The id comes back in the agent’s reply. */
export type Command =
  | { type: 'prompt' | 'steer' | 'followUp'; id: string; text: string; images?: PromptImage[] }
  /** With the messages that it has been sent and did not take yet: they are taken back. */
  | { type: 'abort'; id: string; sent?: readonly string[] }
  | { type: 'compact'; id: string; instructions?: string }
  | { type: 'setModel'; id: string; model: string }
  | { type: 'setThinking'; id: string; level: string }
  | { type: 'setName'; id: string; name: string }
  | { type: 'answer'; id: string; request: EventOf<'approval_request'>; answer: ApprovalReply }

/** What the id of a question begins with that an agent may not know: its refusal is no error. */
export const quietMark = 'quiet-'

/** The agent’s answer to a command: not an event, since only who asked needs it. */
export interface CommandReply {
  id: string
  ok: boolean
  error?: string
  data?: unknown
}

export interface LiveOptions {
  model?: string
  /** The agent’s own id of a session to go on with. */
  resume?: string
  /** File of the extension that asks before a tool runs, for agents that need one. */
  gate?: string
  extra?: readonly string[]
}

/** How an agent is driven while it lives: pure, from commands to the lines that its stdin takes. */
export interface Live {
  args(options: LiveOptions): string[]
  /** Lines to write as soon as it runs. */
  opening(): readonly unknown[]
  /** The lines of a command; undefined when this agent has no such thing. */
  encode(command: Command): readonly unknown[] | undefined
  /** Lines to write behind an event, to be told what it does not say. */
  follow?(event: AgentEvent): readonly unknown[]
  /** A question that the agent answers at any time, and whether its answer says that it works. */
  readonly state?: {
    ask(id: string): readonly unknown[]
    isWorking(answer: unknown): boolean
  }
  /** A question for the models that it can use, and their names as `setModel` takes them. */
  readonly models?: {
    ask(id: string): readonly unknown[]
    namesIn(answer: unknown): string[]
    /** The name that was meant, where a part of one is enough for a person. */
    find?(asked: string, names: readonly string[]): string | undefined
  }
  /** Whether its last words say that it does not know the conversation to go on with. */
  isUnknown?(words: string): boolean
  /** Who holds messages that wait for their turn, and tells of them. */
  readonly queue: 'agent' | 'session'
}
