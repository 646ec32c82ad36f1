import type { BlobRef, SessionState, StampedEvent, Totals } from '../events/types.ts'
import type { AuditStore } from './audit-store.ts'
import type { DamageReports } from './damage.ts'
import type { LogSpace } from './log-space.ts'
import type { LogHealth } from './log-status.ts'
import type { MovedStore } from './moved.ts'
import type { SessionPatch } from './records.ts'
import type { SharedLog } from './shared-log.ts'
import type { SpendingStore } from './spending.ts'
import type {
  ApprovalRecord,
  ApprovalStatus,
  BrowserRecord,
  BudgetRecord,
  CommandReceipt,
  CommandRecord,
  CommandState,
  KeyRecord,
  LedgerCheckpoint,
  LedgerRow,
  LoopRecord,
  PasskeyRecord,
  ProjectRecord,
  SessionRecord,
  SettingRecord,
  TrustRecord,
} from './types.ts'
import type { WriteQueue } from './write-queue.ts'

/**
 * Everything that Sluice stores. Each backend (memory, SQLite) implements this interface and passes
 * the tests of `test/log/contract.ts`. All methods of a log and of its stores promise the following.
 *
 * - Order: writes take effect in the order of their calls, over all stores and sessions.
 * - Atomicity: a write happens as a whole or not at all. One that fails does not affect the others.
 * - Durability: when a write resolves, it is durable, and every read that starts later sees it.
 *   Readers never see an event that is not durable yet.
 * - Arguments: events, records and bytes are stored as they were at the time of the call. Results are
 *   copies: changing them changes nothing in the log.
 * - Errors: a call that is refused throws a `LogFault` with a code. Any write may throw `disk_full`,
 *   `write_failed` or `log_failed`. After `close`, every method throws `closed`. The methods name the other codes that they throw.
 */
export interface Log extends EventStore, LogHealth {
  readonly sessions: SessionStore
  readonly blobs: BlobStore
  readonly approvals: ApprovalStore
  readonly commands: CommandStore
  readonly ledger: LedgerStore
  readonly spending: SpendingStore
  readonly snapshots: SnapshotStore
  readonly projects: ProjectStore
  readonly keys: KeyStore
  readonly audit: AuditStore
  /** The paired browsers. */
  readonly browsers: RecordStore<BrowserRecord>
  /** The passkeys that approvals can be answered with. */
  readonly passkeys: RecordStore<PasskeyRecord>
  /** What the server remembers about itself. */
  readonly settings: RecordStore<SettingRecord>
  /** What people decided about the settings, hooks and extensions of directories. */
  readonly trust: RecordStore<TrustRecord>
  /** The loops, running and done. */
  readonly loops: RecordStore<LoopRecord>
  /** The limits that hold for several sessions. */
  readonly budgets: RecordStore<BudgetRecord>
  /** What only a move into another log reads and writes. */
  readonly moved: MovedStore
  /** Present when the log may be away for some time: how the events of agents are written then. */
  readonly queue?: WriteQueue
  /** Present when several nodes have the log open. */
  readonly shared?: SharedLog
  /** The database file, which another thread can read. Absent when the log is in memory. */
  readonly file?: string
  /** What cannot be read any more. Such records count as absent. */
  readonly damage: DamageReports
  /** How much space the log takes on the disk. All zeros when it is in memory. */
  space(): Promise<LogSpace>
  /** Finishes the writes called before it, then releases all resources. May be called twice. */
  close(): Promise<void>
}

/** What is read of a log that another thread or process has open. */
export interface LogReader extends Pick<EventStore, 'read' | 'readText' | 'head'> {
  readonly blobs: Pick<BlobStore, 'get'>
  readonly sessions: Pick<SessionStore, 'list'>
  readonly snapshots: Pick<SnapshotStore, 'get'>
  close(): Promise<void>
}

/**
 * The events of all sessions. In each session they are numbered 1, 2, 3, …: this is their `seq`. A
 * session with a damaged event ends before it: for readers there is nothing behind.
 */
export interface EventStore {
  /**
   * Appends events to a session, all or none. The first must follow the last stored event, and each the
   * one before: otherwise it throws `gap` or `repeat`. Throws `foreign_event` when an event belongs to
   * another session, `unknown_session` when the session does not exist, and `damaged` when it is.
   */
  append(sessionId: string, events: readonly StampedEvent[]): Promise<void>
  /**
   * Reads the events after the seq `after` in order, at most `limit`. It keeps only one page of them
   * in memory. Events that are appended meanwhile may be included. Reads nothing when the session does
   * not exist.
   */
  read(sessionId: string, after: number, limit?: number): AsyncIterable<StampedEvent>
  /** Like `read`, but returns pages of JSON as stored, for callers that forward it unparsed. */
  readText(sessionId: string, after: number, limit?: number): AsyncIterable<TextPage>
  /** The seq of the last durable event; 0 when the session has none or does not exist. */
  head(sessionId: string): Promise<number>
  /**
   * The checksum of the JSON of an event, as `checksumOf` makes it; undefined when the session has no
   * durable event with this seq.
   */
  checksumAt(sessionId: string, seq: number): Promise<number | undefined>
  /** How many bytes the events after the seq `after`, up to `last`, have as JSON. */
  eventBytes(sessionId: string, after: number, last: number): Promise<number>
}

/** Consecutive events as JSON. */
export interface TextPage {
  /** The seq of the first event. The others follow without a gap. */
  first: number
  /** The JSON of each event. */
  texts: readonly string[]
}

/** The sessions, without their events. */
export interface SessionStore {
  /** Adds a session. Throws `session_exists` or `invalid_record`. */
  create(record: SessionRecord): Promise<void>
  /** Changes some fields and returns the new record. Throws `unknown_session` or `invalid_record`. */
  update(id: string, patch: SessionPatch): Promise<SessionRecord>
  /** The session with this id; undefined when it does not exist. */
  get(id: string): Promise<SessionRecord | undefined>
  /** Lists sessions, newest first: in the order of their creation, whatever the clock said. */
  list(filter?: SessionFilter): Promise<SessionRecord[]>
  /** How many sessions a key or browser has created that are not removed. */
  countOf(creatorId: string): Promise<number>
  /**
   * Deletes a session and all that belongs to it: events, approvals, commands, ledger, snapshot, and
   * the blobs that no other session has put. Its id can be used again. `usage` is what it has cost: it
   * is added to the deleted usage of its project. Throws `unknown_session`.
   */
  remove(id: string, usage?: Totals): Promise<void>
}

/** Which sessions to list. All conditions must hold. */
export interface SessionFilter {
  projectId?: string | undefined
  agent?: string | undefined
  state?: SessionState | undefined
  /** Only sessions that this key or browser has created. */
  creatorId?: string | undefined
  /** Only sessions of this comparison. */
  comparisonId?: string | undefined
  /** Only sessions that continue the conversation of this one. */
  forkedFrom?: string | undefined
  /** Only sessions of these projects, and these sessions. */
  within?: SessionRange | undefined
  /** Also lists sessions with a `removedAt`. */
  includeRemoved?: boolean | undefined
  /** Continues after this session: the last one of the previous page. */
  before?: Pick<SessionRecord, 'id' | 'createdAt'> | undefined
  /** How many sessions to list at most; 50 by default. */
  limit?: number | undefined
}

/** A part of all sessions: those of some projects, and some more. */
export interface SessionRange {
  /** Ids of projects. */
  readonly projects: readonly string[]
  /** Ids of sessions. */
  readonly sessions: readonly string[]
}

/** Whether a session is in a part of all sessions. */
export const isWithin = (
  { id, projectId }: Pick<SessionRecord, 'id' | 'projectId'>,
  { projects, sessions }: SessionRange,
): boolean => sessions.includes(id) || (projectId !== undefined && projects.includes(projectId))

/** Bytes that are too large for an event, by their hash. */
export interface BlobStore {
  /**
   * Stores bytes. The same bytes are stored once, until every session that has put them is removed.
   * Throws `unknown_session`.
   */
  put(sessionId: string, bytes: Uint8Array, mimeType?: string): Promise<BlobRef>
  /** The bytes with this hash; undefined when there are none. */
  get(hash: string): Promise<StoredBlob | undefined>
  /** The ids of the sessions that have put these bytes. */
  owners(hash: string): Promise<string[]>
  /** How many bytes the blobs have that a session has put. */
  bytesOf(sessionId: string): Promise<number>
}

export interface StoredBlob {
  bytes: Uint8Array
  /** The type that the bytes were first put with. */
  mimeType?: string
}

/** The approval requests of all sessions, pending and resolved. */
export interface ApprovalStore {
  /**
   * Adds an approval, or replaces the one with the same id. An outcome stays: a pending record of the same
   * request does not replace it. Throws `unknown_session`, `invalid_record`, or `approval_exists` when another
   * session has an approval with this id.
   */
  put(record: ApprovalRecord): Promise<void>
  /** The approval with this id; undefined when it does not exist. */
  get(approvalId: string): Promise<ApprovalRecord | undefined>
  /** Lists approvals, oldest first; approvals of the same age by id, ascending. */
  list(filter?: ApprovalFilter): Promise<ApprovalRecord[]>
}

/** Which approvals to list. All conditions must hold. */
export interface ApprovalFilter {
  sessionId?: string | undefined
  status?: ApprovalStatus | undefined
}

/**
 * Messages to agents, from before they are sent until the events show what became of them. A command
 * with a key leaves a receipt, so that the same request is recognised when it is sent again.
 */
export interface CommandStore {
  /**
   * Adds a command, which is open from then on. Throws `unknown_session`, `invalid_record`, or
   * `command_exists` when its id or its key is in use.
   */
  add(record: CommandRecord): Promise<void>
  /** Stores whether open commands have been sent. Other ids are left out. */
  setState(ids: readonly string[], state: CommandRecord['state']): Promise<void>
  /** Replaces the text of an open command. Another id is left out. */
  setText(id: string, text: string): Promise<void>
  /** Closes open commands: their content is deleted, and those with a key leave a receipt. */
  close(ids: readonly string[], outcome: CommandOutcome): Promise<void>
  /** Deletes open commands that were refused. Their keys can be used again. */
  remove(ids: readonly string[]): Promise<void>
  /** Lists the open commands of a session in the order in which they were added. */
  list(sessionId: string): Promise<CommandRecord[]>
  /** The ids of the sessions that have open commands. */
  openSessions(): Promise<string[]>
  /** What became of the command with this key; undefined when there is none. */
  receipt(key: string): Promise<CommandReceipt | undefined>
  /** Deletes receipts of closed commands: the older ones, and all but the last `keep`. */
  prune(olderThan: number, keep: number): Promise<void>
}

/** How a command was closed. */
export type CommandOutcome = Exclude<CommandState, CommandRecord['state']>

/** The token and cost accounting of each session. */
export interface LedgerStore {
  /**
   * Adds rows, or replaces those with the same key, and stores the checkpoint if there is one: all or
   * none. Throws `unknown_session` or `invalid_record`.
   */
  put(sessionId: string, rows: readonly LedgerRow[], checkpoint?: LedgerCheckpoint): Promise<void>
  /** Lists the rows of a session in the order in which their keys were first put. */
  list(sessionId: string): Promise<LedgerRow[]>
  /** The last checkpoint; undefined when there is none or when it cannot be read. */
  checkpoint(sessionId: string): Promise<LedgerCheckpoint | undefined>
  /** The usage of the sessions that were removed, by project. One that cannot be read is left out. */
  deletedUsage(): Promise<DeletedUsage[]>
}

/** What the removed sessions of a project have used. */
export interface DeletedUsage {
  /** Absent for sessions without a project. */
  projectId?: string
  usage: Totals
}

/** One transcript snapshot per session, so that a server need not read the events before it. */
export interface SnapshotStore {
  /**
   * Stores the snapshot that includes all events up to `seq`. Does nothing when a newer one is stored.
   * Throws `unknown_session`, or `snapshot_ahead` when the session has no event `seq` yet.
   */
  put(sessionId: string, seq: number, text: string): Promise<void>
  /** The newest snapshot of a session; undefined when it has none. */
  get(sessionId: string): Promise<StoredSnapshot | undefined>
}

export interface StoredSnapshot {
  /** The last event that the snapshot includes. */
  seq: number
  /** The snapshot as JSON. */
  text: string
}

/** The projects: named directories that sessions work in. */
export interface ProjectStore {
  /** Adds a project. Throws `project_exists` or `invalid_record`. */
  create(record: ProjectRecord): Promise<void>
  /** The project with this id; undefined when it does not exist. */
  get(id: string): Promise<ProjectRecord | undefined>
  /** Lists projects in the order of their creation. */
  list(): Promise<ProjectRecord[]>
  /** Deletes a project, but not its sessions. Throws `unknown_project`. */
  remove(id: string): Promise<void>
}

/** The API keys. */
export interface KeyStore {
  /** Adds a key. Throws `key_exists` or `invalid_record`. */
  create(record: KeyRecord): Promise<void>
  /** The key with this id; undefined when it does not exist. Also returns revoked keys. */
  get(id: string): Promise<KeyRecord | undefined>
  /** Lists keys in the order of their creation, revoked ones included. */
  list(): Promise<KeyRecord[]>
  /**
   * Revokes a key and returns its record. A key that is already revoked keeps its first time. Throws
   * `unknown_key`.
   */
  revoke(id: string, at: number): Promise<KeyRecord>
  /** Stores when a key was last used. Throws `unknown_key`. */
  touch(id: string, at: number): Promise<void>
}

/** Records with an id, of one kind. */
export interface RecordStore<Record extends { id: string }> {
  /** Adds a record, or replaces the one with the same id. Throws `invalid_record`. */
  put(record: Record): Promise<void>
  /**
   * Replaces a record with what `change` returns for the stored one, without a write in between, and
   * returns the result. When `change` returns what it was given, or undefined, nothing is stored. It may
   * be called again, and must not throw. Throws `invalid_record`.
   */
  change(
    id: string,
    change: (record: Record | undefined) => Record | undefined,
  ): Promise<Record | undefined>
  /** The record with this id; undefined when it does not exist. */
  get(id: string): Promise<Record | undefined>
  /** Lists records in the order in which they were first put. */
  list(): Promise<Record[]>
  /** Deletes a record. Returns false when there is none with this id. */
  remove(id: string): Promise<boolean>
  /** Whether there are records that cannot be read. They count as absent. */
  hasDamage(): Promise<boolean>
  /** Deletes the records that cannot be read. */
  removeDamaged(): Promise<void>
}
