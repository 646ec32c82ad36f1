import type { ContextGauge, TodoItem, Totals } from '../events/types.ts'

/** The result of a stream. */
export interface RunResult {
  /** All text of the agent on the main thread, without withdrawn messages. */
  text: string
  /** The text of the last message that has any: the answer. */
  finalText: string
  /** Time from the start of reading to the end, in milliseconds. */
  durationMs: number
  /** Cost in US dollars; null if it is unknown. */
  costUsd: number | null
  /** Number of completed model calls. */
  turns: number
  isError: boolean
  stopReason: string | undefined
  errorMessage: string | undefined
  usage: Totals | null
  context: ContextGauge | null
}

/** Receives a stream as calls instead of events. Methods that are not implemented are skipped. */
export interface StreamHandler {
  /** A prompt of a person. */
  onPrompt?(text: string): void
  /** The next part of the agent’s text. */
  onText(text: string): void
  /** The next part of the agent’s thinking. */
  onThinking?(text: string): void
  /** A message of the agent ended. Text that follows belongs to another message. */
  onMessageEnd?(): void
  /** The agent calls a tool. `parentId` is the tool call that this call is part of. */
  onToolCall(name: string, id: string, input: unknown, parentId?: string): void
  /** The next part of a tool’s output. */
  onToolOutput?(id: string, output: string): void
  /** A tool ended. */
  onToolResult(id: string, output: string, isError: boolean): void
  /** A notice for people: a retry, a compaction, a withdrawn message. */
  onNotice?(text: string): void
  /** The agent’s to-do list has changed. */
  onTodos?(todos: readonly TodoItem[]): void
  /** Something failed. */
  onError(error: string): void
  /** The stream is over. */
  onComplete(result: RunResult): void
}
