import type { ContextGauge, Totals } from '../events/types.ts'

/** What a stream comes to when it is over. */
export interface RunResult {
  /** Everything the agent said on its main thread; withdrawn attempts are left out. */
  text: string
  /** Wall clock, as seen by the reader. */
  durationMs: number
  costUsd: number | null
  /** Model calls that ran to their end. */
  turns: number
  isError: boolean
  stopReason: string | undefined
  errorMessage: string | undefined
  usage: Totals | null
  context: ContextGauge | null
}

/** A reader that wants calls instead of events. Only what it implements is called. */
export interface StreamHandler {
  /** What a person asked, where the stream tells it. */
  onPrompt?(text: string): void
  onText(text: string): void
  onThinking?(text: string): void
  /** `parentId` is the call of the subagent, or of the tool, that this call is part of. */
  onToolCall(name: string, id: string, input: unknown, parentId?: string): void
  onToolOutput?(id: string, output: string): void
  onToolResult(id: string, output: string, isError: boolean): void
  /** Something for people: a retry, a compaction, text that was taken back. */
  onNotice?(text: string): void
  onError(error: string): void
  onComplete(result: RunResult): void
}
