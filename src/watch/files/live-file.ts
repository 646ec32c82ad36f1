import type { FileSource } from '../sources/file-source.ts'
import { type FoundSession, findSessionFiles } from './find-files.ts'
import { type FileLibrary, quietMs } from './library.ts'
import type { ReadTurns } from './read-turns.ts'
import type { ReadOutcome, SessionReader } from './session-reader.ts'
import { createSteps } from './steps.ts'

/** One session whose files an agent writes to now. */
export interface LiveFile {
  /** The files may have changed: what is new is read. */
  changed(): void
  /** The id of the session, once it is known. */
  sessionId(): string | undefined
  /** Stops to follow the files, behind what is being read. What is read can be noted before. */
  drop(options?: { isNoted: boolean }): Promise<void>
}

export interface LiveFileOptions {
  library: FileLibrary
  source: FileSource
  root: string
  path: string
  turns: ReadTurns
  now(): number
  /** Called when the files are no longer followed. `hasUnread`: they have changed since they were read. */
  onDropped(hasUnread: boolean): void
  onError(cause: unknown): void
}

/** An answer after which nothing comes for so long is the end of its run. */
const answerMs = 1500
/** How long it takes until a file is tried again whose session Sluice may be starting. */
const retryMs = 500
/** How often a file is tried again whose session another node reads. */
const elsewhereMs = 1000
/** Reading that takes longer leaves as much time for others, up to the second of these. */
const pauseMs = { from: 50, to: 2000 }
/** After these, nothing was read. */
const isUnread: ReadonlySet<ReadOutcome> = new Set(['none', 'off', 'elsewhere'])

export const createLiveFile = (options: LiveFileOptions): LiveFile => {
  const { library, source, root, path, turns, now, onDropped, onError } = options
  let reader: SessionReader | undefined
  /** The files before they were read last. */
  let found: FoundSession | undefined
  let isWaiting = false
  let isLeaving = false
  let changedAt = 0
  let pauseEnds = 0

  const leave = async (): Promise<void> => {
    steps.stop()
    onDropped(isWaiting)
    await reader?.release()
  }
  const steps = createSteps(async (cause) => {
    // What is in memory may be ahead of the log: the files are read again from what is stored.
    await leave()
    onError(cause)
  })

  const noteRead = async (): Promise<void> => {
    if (reader && found) await library.noteRead(reader, root, found)
  }

  const isOld = (): boolean => now() - changedAt >= quietMs
  /** Nothing has come for a while: the run is over if it was answered, or after long. */
  const rest = async (): Promise<void> => {
    const session = reader?.session()
    if (session?.isRunning() && (isOld() || session.isAnswered()))
      await reader?.close({ isPast: false })
    await noteRead()
    if (isWaiting) return
    if (isOld()) await leave()
    else steps.after(quietMs, rest)
  }

  const next = async (outcome: ReadOutcome): Promise<void> => {
    if (outcome === 'read') return steps.after(answerMs, rest)
    if (outcome === 'starting') return steps.after(retryMs, read)
    // When that node is lost, this one goes on.
    if (outcome === 'elsewhere' && !isOld()) return steps.after(elsewhereMs, readAgain)
    if (outcome === 'off' && reader?.session()?.isRunning()) await reader.close({ isPast: false })
    if (!isUnread.has(outcome)) await noteRead()
    // What has come meanwhile is read next.
    if (!isWaiting) await leave()
  }

  const readInTurn = async (isChange: boolean): Promise<ReadOutcome | undefined> => {
    if (isLeaving) return undefined
    if (isChange) {
      isWaiting = false
      changedAt = now()
    }
    reader ??= await library.open(source, root, path)
    found = await findSessionFiles(source, root, path, reader.nativeId())
    return reader.catchUp({ isPast: false })
  }
  const readFiles = async (isChange: boolean): Promise<void> => {
    const pause = pauseEnds - performance.now()
    if (pause > 0) return steps.after(pause, isChange ? read : readAgain)
    const { result, took } = await turns.take({ isFirst: !reader }, () => readInTurn(isChange))
    if (took >= pauseMs.from) pauseEnds = performance.now() + Math.min(took, pauseMs.to)
    if (result === 'read' && reader && found) library.setRead(reader, root, found)
    if (result !== undefined) await next(result)
  }
  const read = (): Promise<void> => readFiles(true)
  const readAgain = (): Promise<void> => readFiles(false)

  return {
    changed() {
      if (isWaiting) return
      isWaiting = true
      if (!isLeaving) void steps.enqueue(read)
    },
    sessionId: () => reader?.session()?.id,
    async drop({ isNoted } = { isNoted: false }) {
      isLeaving = true
      if (isNoted && !isWaiting && reader?.session()) void steps.enqueue(noteRead)
      await steps.enqueue(leave)
    },
  }
}
