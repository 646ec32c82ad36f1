import type { Block } from '../../../events/types.ts'
import type { Fields } from '../../../shared/fields.ts'

/** One step of a script: a message, or the events of a recorded run. */
export type Step = MessageStep | 'replay'

/** One message of the demo, and the tools that it calls. */
export interface MessageStep {
  thinking?: string
  /** The text, which may depend on the results of the calls of the step before. */
  text: string | ((results: readonly CallResult[]) => string)
  calls?: readonly ScriptedCall[]
  failure?: ScriptedFailure
}

/** A tool call in a script. */
export interface ScriptedCall {
  name: string
  input: Fields
  /** Why the call needs an approval; without a reason it needs none. */
  approvalReason?: string
  /** What the tool prints, for the input that was allowed. */
  output(input: Fields): ToolOutput
}

/** What a tool of the demo pretends to have done. */
export interface ToolOutput {
  /** What it prints, line by line. */
  lines: readonly string[]
  exitCode?: number
  isError?: boolean
  /** Details of the result, such as a diff. */
  details?: unknown
  /** Blocks of the result behind its text. */
  blocks?: readonly Block[]
}

/** How a call ended. */
export interface CallResult {
  outcome: 'done' | 'failed' | 'denied' | 'rewritten'
  /** The message of the person who denied it. */
  message?: string
}

/** A model call that pretends to fail. */
export interface ScriptedFailure {
  message: string
  /** How many words’ time to wait before a retry; without it, the run ends. */
  retryAfter?: number
}
