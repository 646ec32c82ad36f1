import { reasonOf } from '../../shared/reason.ts'
import { LogFault } from '../log-fault.ts'
import type { JournalFile } from './journal-file.ts'
import type { JournalWrite } from './journal-record.ts'
import {
  createJournalWriter,
  type HeldWrite,
  type JournalLimits,
  type JournalProblem,
} from './journal-writer.ts'
import type { SetAside } from './set-aside.ts'

/**
 * The writes that the cluster has not stored yet. While the cluster is away, each is also in a file on
 * this machine, so that it survives the process. The file is emptied when all of them are stored.
 */
export interface Journal {
  hold(write: JournalWrite): HeldWrite
  /** The cluster has stored a write. */
  stored(held: HeldWrite): void
  /** A write failed. What is in the file is set aside, unless the log was closed. */
  failed(held: HeldWrite, cause: unknown): void
  /** From now on, everything that is held goes into the file, or nothing more does. */
  setRecording(isRecording: boolean): void
  /** Puts the writes of a session, or all, into the file. Resolves when they are there or stored. */
  flush(sessionId?: string): Promise<void>
  /** Whether nothing is in the file any more. */
  isDrained(): boolean
  /** How much is in the file, and how many writes are not stored yet. */
  figures(): { journalBytes: number; unstoredWrites: number }
  /** Why sources must pause. */
  problem(): JournalProblem | undefined
  /** Calls the listener when `problem` changes. Returns the function that ends that. */
  onProblem(listener: () => void): () => void
  close(): Promise<void>
}

export interface JournalOptions {
  file: JournalFile
  limits: JournalLimits
  setAside: SetAside
  onError(cause: unknown): void
}

export const createJournal = ({ file, limits, setAside, onError }: JournalOptions): Journal => {
  const held = new Set<HeldWrite>()
  const listeners = new Set<() => void>()
  /** Called whenever something was written or stored. */
  const watchers = new Set<() => void>()
  let isRecording = false
  let problem: JournalProblem | undefined

  const writer = createJournalWriter({
    ...{ file, limits },
    isNeeded: () => [...held].some(({ state }) => state === 'written'),
    onChange() {
      const before = problem?.kind
      problem = writer.problem()
      if (problem?.kind !== before) for (const listener of listeners) listener()
      for (const watcher of watchers) watcher()
    },
  })
  const reports = createAsideReports(onError)
  const record = (each: HeldWrite): void => {
    if (each.state === 'held') writer.add(each)
  }
  const release = (each: HeldWrite): void => {
    const wasInFile = each.state !== 'held'
    each.state = 'done'
    held.delete(each)
    if (wasInFile) writer.sweep()
    for (const watcher of watchers) watcher()
  }

  return {
    hold(write) {
      const each: HeldWrite = { write, state: 'held' }
      held.add(each)
      if (isRecording) record(each)
      return each
    },
    stored: release,
    failed(each, cause) {
      // It is replayed at the next start.
      if (cause instanceof LogFault && cause.code === 'closed') return
      try {
        if (each.state !== 'held') reports.add(each.write, setAside([each.write]), cause)
        release(each)
      } catch (asideCause) {
        onError(asideCause) // it stays in the journal
      }
    },
    setRecording(value) {
      isRecording = value
      if (value) for (const each of held) record(each)
    },
    async flush(sessionId) {
      const own = [...held].filter(
        ({ write }) => (sessionId ?? write.sessionId) === write.sessionId,
      )
      for (const each of own) record(each)
      const { promise, resolve } = Promise.withResolvers<void>()
      const watcher = (): void => {
        if (own.every(({ state }) => state === 'written' || state === 'done')) resolve()
      }
      watchers.add(watcher)
      watcher()
      await promise
      watchers.delete(watcher)
    },
    isDrained: writer.isEmpty,
    figures: () => ({ journalBytes: file.size(), unstoredWrites: held.size }),
    problem: () => problem,
    onProblem(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: writer.close,
  }
}

/** Reports writes that fail together once for each session: an outage can leave thousands of them. */
const createAsideReports = (onError: (cause: unknown) => void) => {
  const waiting = new Map<string, { writes: JournalWrite[]; path: string; cause: unknown }>()
  const report = (): void => {
    for (const { writes, path, cause } of waiting.values())
      onError(setAsideFault(writes, path, cause))
    waiting.clear()
  }
  return {
    add(write: JournalWrite, path: string, cause: unknown): void {
      if (waiting.size === 0) setImmediate(report)
      const found = waiting.get(write.sessionId) ?? { writes: [], path, cause }
      waiting.set(write.sessionId, found)
      found.writes.push(write)
    },
  }
}

/** The fault that says where the writes of a session are that could not be stored. */
export const setAsideFault = (
  writes: readonly JournalWrite[],
  path: string,
  cause: unknown,
): LogFault => {
  const events = writes.filter((write) => write.kind === 'events')
  const last = events.at(-1)
  const what = last
    ? `Events ${events[0]?.first} to ${last.first + last.texts.length - 1}`
    : 'Attached data'
  const message = `${what} of session ${writes[0]?.sessionId} could not be stored and can be found in ${path}. ${reasonOf(cause)}`
  return new LogFault('fenced', message, { cause })
}
