/** What a log has beside its stores when several nodes have it open. */
export interface SharedLog {
  /**
   * Calls a listener after each change of a record, by this node or another one. Reads that start later
   * see the change. Returns the function that ends that.
   */
  onRecord(listener: (changed: ChangedRecord) => void): () => void
  readonly codes: CodeStore
  readonly requests: RequestStore
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

/** Requests with an `Idempotency-Key`, which run once, whichever nodes get them. */
export interface RequestStore {
  /** Stores that a request runs. If one is stored with this key, returns it, and changes nothing. */
  begin(key: string, request: StoredRequest): Promise<StoredRequest | undefined>
  /**
   * Replaces a request, or deletes it. Returns false if another node has changed it, or if it is done
   * meanwhile.
   */
  replace(key: string, before: StoredRequest, next: StoredRequest | undefined): Promise<boolean>
  /** Deletes what is older than `keepMs`, and the oldest above `limit`. */
  prune(keepMs: number, limit: number): Promise<void>
}

/** A request that runs, or that has run. */
export interface StoredRequest {
  /** The hash of the body. */
  readonly hash: string
  /** The id of what it creates. When it runs again because its node was lost or it failed, it is the same. */
  readonly newId: string
  /** Who runs it: a node, for as long as it has the same lease. */
  readonly node: string
  readonly incarnation: string
  /** Nobody runs it any more. Without a response, it runs again. */
  readonly isDone?: true | undefined
  /** As JSON, once it is done. Absent if it is too large, or if the request failed. */
  readonly response?: string | undefined
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
