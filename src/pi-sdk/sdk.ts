/** What we use of a session of the Pi SDK; the real one has all of it. */
export interface PiSession {
  readonly sessionId: string
  readonly sessionName?: string | undefined
  readonly thinkingLevel?: string | undefined
  readonly model?: PiModel | undefined
  readonly sessionManager?: { getCwd(): string }
  /** What the listener gets goes on changing; and a listener that throws ends the run. */
  subscribe(listener: (event: object) => void): () => void
}

/** What we use of a model of the Pi SDK. */
export interface PiModel {
  id: string
  contextWindow?: number | undefined
}

/** What we use of Pi’s extension API. */
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

/** Where a tool call happens. */
export interface PiContext {
  /** Aborted when the run is. */
  signal: AbortSignal | undefined
  sessionManager: { getSessionId(): string }
}

/** Keeps a tool from running; the model is told the reason. */
export interface PiBlock {
  block: true
  reason: string
}
