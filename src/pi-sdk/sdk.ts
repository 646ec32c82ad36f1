/** The part of a Pi SDK session that Sluice uses. */
export interface PiSession {
  readonly sessionId: string
  readonly sessionName?: string | undefined
  readonly thinkingLevel?: string | undefined
  readonly model?: PiModel | undefined
  readonly sessionManager?: { getCwd(): string }
  /** Pi keeps changing the events that it passes; a listener that throws ends the run. */
  subscribe(listener: (event: object) => void): () => void
}

/** The part of a Pi SDK model that Sluice uses. */
export interface PiModel {
  id: string
  contextWindow?: number | undefined
}

/** The part of Pi’s extension API that Sluice uses. */
export interface PiExtensionApi {
  on(
    event: 'tool_call',
    handler: (call: PiToolCall, context: PiContext) => Promise<PiBlock | undefined>,
  ): unknown
}

/** A tool call before it runs. Its input may be changed in place. */
export interface PiToolCall {
  toolCallId: string
  toolName: string
  input: object
}

/** The run and the session of a tool call. */
export interface PiContext {
  /** Aborts when the run is aborted. */
  signal: AbortSignal | undefined
  sessionManager: { getSessionId(): string; getCwd?(): string }
}

/** Denies a tool call; the model receives the reason. */
export interface PiBlock {
  block: true
  reason: string
}
