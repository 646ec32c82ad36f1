/** A conversation that an agent itself has stored, as far as the agent describes it. */
export interface StoredConversation {
  /** The agent’s own id of it. */
  id: string
  /** One line, for people. */
  title?: string
  /** When it last changed, in ms since 1970. */
  updatedAt?: number
}

/** What became of a request for the conversations of a directory. */
export type ListingResult =
  | {
      outcome: 'listed'
      /** The newest first. */
      conversations: StoredConversation[]
      /** The agent may have more than are listed. */
      hasMore: boolean
      /** Whether a later process can continue one of them. */
      canContinue: boolean
    }
  | { outcome: 'unsupported' | 'failed'; reason: string }

export interface ListingOptions {
  /** The directory whose conversations are listed. */
  cwd: string
  /** The path of the same directory without symbolic links. */
  realCwd: string
  /** Stops at this conversation: the others are not needed. */
  wanted?: string | undefined
  /** Writes lines to the agent’s stdin. */
  write(lines: readonly unknown[]): void
  /** Called once. */
  onResult(result: ListingResult): void
}

/** The listing of conversations by one process, which does nothing else. No clock, no I/O. */
export interface ConversationListing {
  /** Writes what the agent expects first. */
  open(): void
  /** Reads one parsed line of the process. */
  push(line: unknown): void
  /** No more lines are read: the result is what was listed so far, or the reason. */
  stop(reason: string): void
}
