import { randomUUID } from 'node:crypto'
import type { KV } from '@nats-io/kv'
import { createDamageCollector } from '../damage.ts'
import type { Log } from '../log.ts'
import { closedLog, unknownSession } from '../log-fault.ts'
import type { SharedLog } from '../shared-log.ts'
import type { HistoryStore } from '../stored-history.ts'
import { createAppendTimes } from './append-times.ts'
import { createApprovalStore } from './approvals.ts'
import { createAuditStore } from './audit.ts'
import { createBlobStore } from './blobs.ts'
import { createBucketReader } from './bucket-reader.ts'
import { openBuckets } from './buckets.ts'
import { createCodeStore } from './codes.ts'
import { createCommandStore } from './commands.ts'
import type { JetStreamContext } from './context.ts'
import { createDocuments } from './documents.ts'
import { createEventStore } from './events.ts'
import { createHandover } from './handover.ts'
import { createHistoryStore } from './history.ts'
import type { JournalLimits } from './journal-writer.ts'
import { createKeyStore } from './keys.ts'
import { createLedgerStore } from './ledger.ts'
import { createLocalState, type LocalState } from './local-state.ts'
import { type JetStreamFigures, readFigures } from './log-figures.ts'
import { createLookUp } from './look-up.ts'
import { createMovedStore } from './moved.ts'
import { type NatsLink, type NatsOptions, openLink } from './nats-link.ts'
import { createObjectBodies, type ObjectBodies } from './object-bodies.ts'
import { openIndex } from './open-index.ts'
import { openJournal } from './open-journal.ts'
import { createOutage } from './outage.ts'
import { createProjectStore } from './projects.ts'
import { createPublisher, type Publisher } from './publisher.ts'
import { createRecordFeed } from './record-feed.ts'
import { createRecordIndex } from './record-index.ts'
import { recordKeys } from './record-keys.ts'
import { createRecordStore } from './record-store.ts'
import { openRecordWatch } from './record-watch.ts'
import { createRecordWriter } from './record-writer.ts'
import { createRemoveRest } from './remove-session.ts'
import { createRequestStore } from './requests.ts'
import { createSessionStore } from './sessions.ts'
import { createSnapshotStore } from './snapshots.ts'
import { createSpendingStore } from './spending.ts'
import { createStorageLimit, withStorageLimit } from './storage-limit.ts'
import { type Names, namesOf } from './subjects.ts'
import { createWriteQueue, flushWrites } from './write-queue.ts'

/** How a log in a NATS cluster is opened. */
export interface JetStreamLogOptions extends NatsOptions {
  /** Whose data it is. Default: `default`. */
  tenant?: string | undefined
  /** How many servers store everything. Default: as it is; at first 3 in a cluster, else 1. */
  replicas?: number | undefined
  /** The name of this node, for the audit. */
  node?: string | undefined
  /** How much the journal holds before agents wait. Default: 64 MiB and 200,000 events. */
  journal?: Partial<JournalLimits>
  onError?(cause: unknown): void
}

/**
 * Opens the log of a tenant in a NATS cluster. The directory is for the index, a copy of the records that
 * is made again at each start, and for the journal of what the cluster could not store. What the last
 * process has left in there is stored first. Throws `unreachable`, `login_refused`, `jetstream_off`,
 * `too_few_servers`, or `locked`.
 */
export const openJetStreamLog = async (
  directory: string,
  options: JetStreamLogOptions,
): Promise<JetStreamLog> => {
  const names = namesOf(options.tenant ?? 'default')
  const link = await openLink(options)
  try {
    return await openOver(link, names, directory, options)
  } catch (cause) {
    await link.close()
    throw cause
  }
}

/** A log in a NATS cluster, with what other parts of a node need of it. */
export interface JetStreamLog extends Log {
  readonly shared: SharedLog
  readonly link: NatsLink
  readonly names: Names
  /** How many servers store everything. */
  readonly replicas: number
  /** What is too large for a message. */
  readonly objects: ObjectBodies
  /** The conversations of agents, for other nodes. */
  readonly history: HistoryStore
  figures(): Promise<JetStreamFigures>
  /** Whether this process has written the message with an id. */
  isOwnMessage(id: string): boolean
  /** Adds who decides whether this node may write events of a session. */
  guardWrites(guard: MayWrite): void
}

/** Resolves when this node may write; rejects with `fenced` when another one may. */
type MayWrite = JetStreamContext['mayWrite']

const openOver = async (
  link: NatsLink,
  names: Names,
  directory: string,
  {
    tenant = 'default',
    replicas,
    node,
    connection,
    journal: limits,
    onError = warn,
  }: JetStreamLogOptions,
): Promise<JetStreamLog> => {
  const buckets = await openBuckets(link, names, replicas)
  const { records, objects: objectStore, storedBytes } = buckets
  const objects = createObjectBodies(link, objectStore, names.objectBucket)
  const documents = createDocuments(link, records, objects)
  const index = await openIndex(directory)
  let isClosed = false
  const ensureOpen = (): void => {
    if (isClosed) throw closedLog()
  }
  const local = createLocalState()
  const feed = createRecordFeed()
  const { apply, hasSession } = createRecordIndex(index, local.appliers, feed.publish, onError)
  const requireSession = (id: string): void => {
    ensureOpen()
    if (!hasSession(id)) throw unknownSession(id)
  }
  const watch = await openRecordWatch({
    ...{ link, bucket: records, documents, apply, onError },
    reader: createBucketReader(link, names),
  })
  const { journal, replay } = await openJournal(directory, { tenant, limits, onError })
  const ownWriter = createOwnWriter()
  const context: JetStreamContext = {
    ...{ writerId: ownWriter.id, mayWrite: ownWriter.mayWrite },
    ...{ link, names, documents, objects, journal, index, onError },
    ...{ node, ensureOpen, requireSession, appendTimes: createAppendTimes() },
    ...{
      writer: createRecordWriter(documents, watch),
      lookUp: createLookUp({ link, documents, watch }),
    },
    publisher: publisherOver(link, connection),
  }
  const { events, flush, ...stores } = createStores(context, local)
  const { settled, leave: _, forget: __, ...eventStore } = events
  await replay({ ...events, blobs: stores.blobs })
  const outage = createOutage({ link, journal, probe: () => probeCluster(link, names, records) })
  const health = withStorageLimit(outage, createStorageLimit(link, { names, tenant }))
  let usedBytes = 0
  return {
    ...stores,
    ...{ link, names, objects, replicas: buckets.replicas },
    figures: () => readFigures({ ...context, journal }),
    isOwnMessage: (id) => id.includes(ownWriter.id),
    guardWrites: ownWriter.guard,
    shared: {
      ...{ onRecord: feed.onRecord, codes: createCodeStore(documents, ensureOpen) },
      requests: createRequestStore(context),
      ...createHandover({ watch, outage, events, spending: stores.spending }),
    },
    ...eventStore,
    ...health,
    queue: createWriteQueue({ events, blobs: stores.blobs, journal, onError }),
    async space() {
      ensureOpen()
      // Without a connection, what was last seen.
      if (link.isConnected()) usedBytes = await storedBytes().catch(() => usedBytes)
      return { usedBytes, freeBytes: 0, databaseBytes: usedBytes, walBytes: 0 }
    },
    async close() {
      if (isClosed) return
      isClosed = true
      health.close()
      await flushWrites({ events, journal, onError })
      // Without space for them, the next writer reads the events again.
      if (outage.status().state === 'ok') await flush().catch(onError)
      // Together: the watch may wait for the cluster, which only ends with the link.
      await Promise.all([watch.close(), link.close()])
      await settled()
      await journal.close()
      await index.close()
    },
  }
}

/** What the messages of this process have in common. */
const createOwnWriter = () => {
  let mayWrite: MayWrite | undefined
  return {
    id: randomUUID(),
    mayWrite: (sessionId: string) => mayWrite?.(sessionId),
    guard(next: MayWrite): void {
      mayWrite = next
    },
  }
}

/** How long a publish may take before it is sent again. */
const publishMs = 1000

const publisherOver = (link: NatsLink, connection: NatsOptions['connection']): Publisher =>
  createPublisher(link.connection, {
    ...{ timeoutMs: publishMs, inboxPrefix: connection?.inboxPrefix },
  })

/**
 * Asks whether events can be stored: their stream needs a leader, and the servers a quorum. A leader that
 * has lost the others still answers reads for a while, so a record is written.
 */
const probeCluster = ({ manager }: NatsLink, { eventStream, eventsOf }: Names, records: KV) =>
  Promise.all([
    manager.streams.getMessage(eventStream, { last_by_subj: eventsOf('probe') }),
    records.put(recordKeys.probe, ''),
  ])

const createStores = (context: JetStreamContext, local: LocalState) => {
  const { index } = context
  const spending = createSpendingStore(context, {
    book: local.book,
    sessionOf: (id) => index.sessions.get(id),
    read: (id, after) => events.read(id, after),
  })
  const events = createEventStore(context, spending.add)
  const blobs = createBlobStore(context)
  const history = createHistoryStore(context)
  const ledger = createLedgerStore(context, local.deletedUsage)
  const commands = createCommandStore(context, () => [...local.commandSessions])
  const settledHead = async (id: string): Promise<number> => {
    await events.settled(id)
    return events.head(id)
  }
  return {
    ...{ events, blobs, commands, history, spending, flush: spending.flush },
    sessions: createSessionStore(
      context,
      createRemoveRest(context, { blobs, commands, events, history, ledger, spending }),
    ),
    approvals: createApprovalStore(context),
    ledger,
    snapshots: createSnapshotStore(context, settledHead),
    projects: createProjectStore(context),
    keys: createKeyStore(context),
    audit: createAuditStore(context),
    browsers: createRecordStore(context, 'browser', index.browsers),
    passkeys: createRecordStore(context, 'passkey', index.passkeys),
    settings: createRecordStore(context, 'setting', index.settings),
    trust: createRecordStore(context, 'trust', index.trust),
    loops: createRecordStore(context, 'loop', index.loops),
    budgets: createRecordStore(context, 'budget', index.budgets),
    moved: createMovedStore(context, {
      book: local.book,
      completeSums: async (id) => spending.add(id, [], await settledHead(id)),
    }),
    damage: createDamageCollector(),
  }
}

const warn = (cause: unknown): void =>
  process.emitWarning(cause instanceof Error ? cause : String(cause))
