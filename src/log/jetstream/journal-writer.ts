import type { JournalFile } from './journal-file.ts'
import type { JournalWrite } from './journal-record.ts'

/** How much a journal holds before sources must pause. */
export interface JournalLimits {
  bytes: number
  events: number
}

/** `limit`: the journal holds all that it may. Otherwise the error of the disk. */
export type JournalProblem = { kind: 'limit' } | { kind: 'disk'; cause: unknown }

/** A write that is not stored yet. */
export interface HeldWrite {
  readonly write: JournalWrite
  /** `waiting`: it is about to be written to the journal. `written`: it is in there. */
  state: 'held' | 'waiting' | 'written' | 'done'
}

/** Writes to the file of a journal: what arrives in one turn of the event loop with one flush of the disk. */
export interface JournalWriter {
  add(held: HeldWrite): void
  /** Empties the file soon, if nothing in it is needed. */
  sweep(): void
  /** Whether the file is empty, and nothing is about to be written to it. */
  isEmpty(): boolean
  problem(): JournalProblem | undefined
  close(): Promise<void>
}

export interface JournalWriterOptions {
  file: JournalFile
  limits: JournalLimits
  /** Whether something in the file is still needed. */
  isNeeded(): boolean
  /** Called when something was written, or could not be. */
  onChange(): void
}

/** How long until a file that could not be written is tried again. */
const retryMs = 500

export const createJournalWriter = (options: JournalWriterOptions): JournalWriter => {
  const { file, limits } = options
  let waiting: HeldWrite[] = []
  let eventCount = 0
  let failure: { cause: unknown } | undefined
  let working: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  let isClosed = false

  const append = async (group: readonly HeldWrite[]): Promise<void> => {
    await file.append(group.map(({ write }) => write))
    for (const { write } of group) eventCount += write.kind === 'events' ? write.texts.length : 0
    // One that was stored meanwhile stays in the file: events are compared when it is replayed.
    for (const each of group) if (each.state === 'waiting') each.state = 'written'
  }
  const clear = async (): Promise<void> => {
    if (isClosed || file.size() === 0 || options.isNeeded()) return
    await file.clear()
    eventCount = 0
  }
  const step = async (): Promise<void> => {
    const group = waiting.filter(({ state }) => state === 'waiting')
    waiting = []
    try {
      if (group.length > 0) await append(group)
      await clear()
      failure = undefined
    } catch (cause) {
      failure = { cause }
      waiting = [...group.filter(({ state }) => state === 'waiting'), ...waiting]
    }
    options.onChange()
  }
  const work = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    do await step()
    while (!failure && waiting.length > 0)
    working = undefined
    if (failure && !isClosed)
      retry = setTimeout(() => {
        retry = undefined
        start()
      }, retryMs).unref()
  }
  const start = (): void => {
    if (!isClosed && retry === undefined) working ??= work()
  }

  return {
    add(held) {
      held.state = 'waiting'
      waiting.push(held)
      start()
    },
    sweep: start,
    isEmpty: () => file.size() === 0 && waiting.length === 0,
    problem() {
      if (failure) return { kind: 'disk', cause: failure.cause }
      const isAtLimit = file.size() >= limits.bytes || eventCount >= limits.events
      return isAtLimit ? { kind: 'limit' } : undefined
    },
    async close() {
      isClosed = true
      clearTimeout(retry)
      await working
      await file.close()
    },
  }
}
