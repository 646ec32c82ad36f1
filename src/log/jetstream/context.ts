import type { Log } from '../log.ts'
import type { AppendTimes } from './append-times.ts'
import type { Documents } from './documents.ts'
import type { Journal } from './journal.ts'
import type { LookUp } from './look-up.ts'
import type { NatsLink } from './nats-link.ts'
import type { ObjectBodies } from './object-bodies.ts'
import type { Publisher } from './publisher.ts'
import type { RecordWriter } from './record-writer.ts'
import type { Names } from './subjects.ts'

/** What the stores of a log in JetStream share. */
export interface JetStreamContext {
  readonly link: NatsLink
  readonly names: Names
  /** The name of this node, for the audit. */
  readonly node: string | undefined
  readonly publisher: Publisher
  readonly appendTimes: AppendTimes
  /** The records in the bucket, by key. */
  readonly documents: Documents
  /** Writes the records that are in the index. */
  readonly writer: RecordWriter
  /** Finds what another node has just created. */
  readonly lookUp: LookUp
  readonly objects: ObjectBodies
  /** The events and blobs that are not stored yet. */
  readonly journal: Pick<Journal, 'hold' | 'stored' | 'failed'>
  /** A local copy of the records that lists are made from. */
  readonly index: Log
  /** Is part of the id of every message that this process writes. */
  readonly writerId: string
  onError(cause: unknown): void
  /** Throws `closed` when the log is closed. */
  ensureOpen(): void
  /** Throws `unknown_session` when the session does not exist, `closed` when the log is closed. */
  requireSession(id: string): void
  /** Resolves when this node may write events of a session; throws `fenced` when another node may. */
  mayWrite(sessionId: string): Promise<void> | undefined
}
