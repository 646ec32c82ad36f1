/** What a log has beside its stores when several nodes have it open. */
export interface SharedLog {
  /**
   * Calls a listener after each change of a record, by this node or another one. Reads that start later
   * see the change. Returns the function that ends that.
   */
  onRecord(listener: (changed: ChangedRecord) => void): () => void
  readonly codes: CodeStore
  /** This node begins to own a session. Resolves when it sees everything that the last owner has stored. */
  arrive(sessionId: string): Promise<void>
  /** Stores what this node holds back of a session, and forgets it: another node writes next. */
  leave(sessionId: string): Promise<void>
}

/** Which record was changed or deleted. */
export interface ChangedRecord {
  /** Such as `key` or `browser`. */
  readonly kind: string
  readonly id: string
}

/** Codes that are valid once, at any node. */
export interface CodeStore {
  /** Stores a code. Those of the group that have expired are deleted, and the oldest above the limit. */
  put(group: string, code: StoredCode, limit: number): Promise<void>
  /** Deletes a code and returns its content. Undefined when there is none: it can be taken once. */
  take(group: string, id: string, now: number): Promise<string | undefined>
}

/** A code as it is stored: not the code itself. */
export interface StoredCode {
  /** The hash of the code. */
  readonly id: string
  readonly content: string
  readonly createdAt: number
  readonly expiresAt: number
}
