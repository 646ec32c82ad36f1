import type { SessionState, StampedEvent } from '../events/types.ts'
import type { BlobRef } from './blobs/blob-ref.ts'
import type { SessionPatch } from './session-record.ts'
import type {
  ApprovalRecord,
  ApprovalStatus,
  KeyRecord,
  LedgerMark,
  LedgerRow,
  ProjectRecord,
  SessionRecord,
} from './types.ts'

/**
 * What Sluice keeps. A refusal is a `LogFault`. Writes happen in the order in which they were asked
 * for; when one resolves it is durable, and every read that begins later sees it.
 */
export interface Log {
  /** Stores events as one, all or none. They must go on where the session stands, without a hole. */
  append(sessionId: string, events: readonly StampedEvent[]): Promise<void>
  /** The events behind `after`, in order, at most `limit`. Memory stays small however many. */
  read(sessionId: string, after: number, limit?: number): AsyncIterable<StampedEvent>
  /** The same as the JSON that is stored, for those who pass it on unread. */
  readText(sessionId: string, after: number, limit?: number): AsyncIterable<TextPage>
  /** The seq of the last event; 0 where there is none. */
  head(sessionId: string): Promise<number>
  readonly sessions: SessionStore
  readonly blobs: BlobStore
  readonly approvals: ApprovalStore
  readonly ledger: LedgerStore
  readonly snapshots: SnapshotStore
  readonly projects: ProjectStore
  readonly keys: KeyStore
  /** Ends what was begun and lets go of everything. Whatever is asked for later is refused. */
  close(): Promise<void>
}

/** Some events that follow one another, as JSON texts. */
export interface TextPage {
  /** The seq of the first; each of the others is one more. */
  first: number
  texts: readonly string[]
}

export interface SessionStore {
  create(record: SessionRecord): Promise<void>
  /** Gives back the whole record as it is now. */
  update(id: string, patch: SessionPatch): Promise<SessionRecord>
  get(id: string): Promise<SessionRecord | undefined>
  /** Newest first. */
  list(filter?: SessionFilter): Promise<SessionRecord[]>
  /** Takes the session away with all that belongs to it, and blobs that no other session has. */
  remove(id: string): Promise<void>
}

export interface SessionFilter {
  projectId?: string | undefined
  agent?: string | undefined
  state?: SessionState | undefined
  /** Those that were set aside too. */
  withRemoved?: boolean | undefined
  /** Goes on behind this one: the last of the page before. */
  before?: Pick<SessionRecord, 'id' | 'createdAt'> | undefined
  /** 50 unless told otherwise. */
  limit?: number | undefined
}

export interface BlobStore {
  /** Keeps bytes, the same bytes once, for as long as one of the sessions that put them exists. */
  put(sessionId: string, bytes: Uint8Array, mimeType?: string): Promise<BlobRef>
  get(hash: string): Promise<Blob | undefined>
}

export interface Blob {
  bytes: Uint8Array
  /** As it was first put. */
  mimeType?: string
}

export interface ApprovalStore {
  /** Replaces what was there under the same id. */
  put(record: ApprovalRecord): Promise<void>
  get(approvalId: string): Promise<ApprovalRecord | undefined>
  /** Oldest first. */
  list(filter?: ApprovalFilter): Promise<ApprovalRecord[]>
}

export interface ApprovalFilter {
  sessionId?: string | undefined
  status?: ApprovalStatus | undefined
}

export interface LedgerStore {
  /**
   * Keeps rows, each in the place of what was there under its key, and up to where they reach: all
   * or nothing.
   */
  put(sessionId: string, rows: readonly LedgerRow[], mark?: LedgerMark): Promise<void>
  /** In the order in which their keys were first put. */
  list(sessionId: string): Promise<LedgerRow[]>
  /** Up to where the rows reach; undefined where that is not known. */
  mark(sessionId: string): Promise<LedgerMark | undefined>
}

/** Where a session stood at some event, as JSON, so that a start need not read what lies before. */
export interface SnapshotStore {
  /** Keeps the newest only: one that is older than what is kept changes nothing. */
  put(sessionId: string, seq: number, text: string): Promise<void>
  get(sessionId: string): Promise<StoredSnapshot | undefined>
}

export interface StoredSnapshot {
  /** The last event in it. */
  seq: number
  text: string
}

export interface ProjectStore {
  create(record: ProjectRecord): Promise<void>
  get(id: string): Promise<ProjectRecord | undefined>
  /** In the order in which they were created. */
  list(): Promise<ProjectRecord[]>
  /** Takes the project away; its sessions stay. */
  remove(id: string): Promise<void>
}

export interface KeyStore {
  create(record: KeyRecord): Promise<void>
  get(id: string): Promise<KeyRecord | undefined>
  /** In the order in which they were created, those that were revoked too. */
  list(): Promise<KeyRecord[]>
  /** Gives back the record; what was revoked before keeps its first time. */
  revoke(id: string, at: number): Promise<KeyRecord>
  /** Notes that a key was used. */
  touch(id: string, at: number): Promise<void>
}
