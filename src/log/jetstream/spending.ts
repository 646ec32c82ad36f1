import { randomUUID } from 'node:crypto'
import type { StampedEvent } from '../../events/types.ts'
import { addSpending, createSpendingStore as createMemorySpending } from '../memory/spending.ts'
import type { SpendingStore } from '../spending.ts'
import { type SpendingUpdate, spendingIn } from '../spending-update.ts'
import type { SessionRecord } from '../types.ts'
import type { JetStreamContext } from './context.ts'
import { isUnreachable, patiently } from './patiently.ts'
import { recordKeys } from './record-keys.ts'
import type { SpendingBook, SpendingEntry } from './spending-book.ts'

type SpendingContext = Pick<JetStreamContext, 'documents' | 'ensureOpen' | 'onError'>

export interface SpendingDeps {
  book: SpendingBook
  sessionOf(id: string): Promise<SessionRecord | undefined>
  read(sessionId: string, after: number): AsyncIterable<StampedEvent>
}

/** The sums, with what only the log calls. */
export interface OwnedSpending extends SpendingStore {
  /** Adds what an append has used. `last` is its last event. */
  add(sessionId: string, updates: readonly SpendingUpdate[], last: number): Promise<void>
  /** The session was removed: a new one with its id has sums of its own. */
  finish(sessionId: string): Promise<void>
  /** Forgets what this node knows of the sums: another node may have added to them since. */
  forget(sessionId: string): void
  /** Stores the sums of a session, and forgets them: another node appends next. */
  leave(sessionId: string): Promise<void>
  /** Stores the sums that are not stored yet. */
  flush(): Promise<void>
}

/** How long sums wait to be stored. When the node dies before, the next one reads the events again. */
const waitMs = 1000

/**
 * The node that appends to a session keeps its sums, and stores them now and then. The others take them
 * over from the bucket.
 */
export const createSpendingStore = (
  { documents, ensureOpen, onError }: SpendingContext,
  { book, sessionOf, read }: SpendingDeps,
): OwnedSpending => {
  /** The sums of sessions that this node appends to. */
  const own = new Map<string, Promise<SpendingEntry | undefined>>()
  /**
   * Loads the sums of a session, and adds the events up to one that they do not include. Waits for the
   * cluster: the events are stored, so their append must not fail because of the sums.
   */
  const load = async (sessionId: string, upTo: number): Promise<SpendingEntry | undefined> => {
    const record = await sessionOf(sessionId)
    // What an imported session used was not spent here.
    if (!record || record.imported) return undefined
    const known = book.openEntry(sessionId)
    const stored = known && (await patiently(() => documents.get(known.key)))
    const { projectId = '', agent } = record
    const entry = stored
      ? book.set(stored)
      : book.create(recordKeys.spending(`${sessionId}:${randomUUID()}`), {
          ...{ sessionId, projectId, agent },
        })
    const missed = () => spendingUpTo(read(sessionId, entry.through), upTo)
    addSpending(entry.sums, await patiently(missed))
    return entry
  }
  const loadOwn = (sessionId: string, upTo: number): Promise<SpendingEntry | undefined> => {
    const loading = load(sessionId, upTo)
    own.set(sessionId, loading)
    // The next append tries again.
    loading.catch(() => own.delete(sessionId))
    return loading
  }
  const save = async (entry: SpendingEntry): Promise<void> =>
    void (await documents.change(entry.key, () => book.textOf(entry)))
  const unsaved = createUnsaved(save, onError)

  return {
    ...createMemorySpending({ spending: book.all, ensureOpen }),
    async add(sessionId, updates, last) {
      const isLoaded = own.has(sessionId)
      const entry = await (own.get(sessionId) ?? loadOwn(sessionId, last))
      if (!entry) return
      if (isLoaded) addSpending(entry.sums, updates)
      entry.through = Math.max(entry.through, last)
      unsaved.add(entry)
    },
    async finish(sessionId) {
      await own.get(sessionId)
      own.delete(sessionId)
      const entry = book.openEntry(sessionId)
      if (!entry) return
      entry.isFinal = true
      unsaved.delete(entry)
      await save(entry)
    },
    forget(sessionId) {
      own.delete(sessionId)
      unsaved.forget(sessionId)
    },
    async leave(sessionId) {
      const entry = await own.get(sessionId)
      own.delete(sessionId)
      if (entry && unsaved.delete(entry)) await save(entry)
    },
    flush: unsaved.flush,
  }
}

/** Sums that are stored a moment later, together with what is added meanwhile. */
const createUnsaved = (
  save: (entry: SpendingEntry) => Promise<void>,
  onError: (cause: unknown) => void,
) => {
  const entries = new Set<SpendingEntry>()
  let timer: NodeJS.Timeout | undefined
  const add = (entry: SpendingEntry): void => {
    entries.add(entry)
    timer ??= setTimeout(() => void flush().catch(onError), waitMs).unref()
  }
  const saveOrRetry = async (entry: SpendingEntry): Promise<void> => {
    try {
      await save(entry)
    } catch (cause) {
      if (!isUnreachable(cause)) throw cause
      add(entry)
    }
  }
  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const due = [...entries]
    entries.clear()
    await Promise.all(due.map(saveOrRetry))
  }
  return {
    add,
    flush,
    /** Whether it was not stored yet. */
    delete: (entry: SpendingEntry): boolean => entries.delete(entry),
    forget(sessionId: string): void {
      for (const each of entries) if (each.sums.sessionId === sessionId) entries.delete(each)
    },
  }
}

const spendingUpTo = async (
  events: AsyncIterable<StampedEvent>,
  upTo: number,
): Promise<SpendingUpdate[]> => {
  const updates: SpendingUpdate[] = []
  for await (const event of events) {
    if (event.seq > upTo) break
    updates.push(...spendingIn([event]))
  }
  return updates
}
