import type { FileSource } from '../sources/file-source.ts'
import { findSessionFiles } from './find-files.ts'
import { type FileLibrary, quietMs } from './library.ts'
import type { ReadTurns } from './read-turns.ts'
import type { ReadOutcome, SessionReader } from './session-reader.ts'

/** One session whose files an agent writes to now. */
export interface LiveFile {
  /** The files may have changed: what is new is read. */
  changed(): void
  /** The id of the session, once it is known. */
  sessionId(): string | undefined
  /** Stops to follow the files, behind what is being read. Resolves with whether a change was not read. */
  drop(): Promise<boolean>
}

export interface LiveFileOptions {
  library: FileLibrary
  source: FileSource
  root: string
  path: string
  turns: ReadTurns
  now(): number
  /** Called when the files are no longer followed. */
  onDropped(): void
  onError(cause: unknown): void
}

/** An answer after which nothing comes for so long is the end of its run. */
const answerMs = 1500
/** How long it takes until a file is tried again whose session Sluice may be starting. */
const retryMs = 500
/** Reading that takes longer leaves as much time for others, up to the second of these. */
const pauseMs = { from: 50, to: 2000 }

export const createLiveFile = (options: LiveFileOptions): LiveFile => {
  const { library, source, root, path, turns, now, onDropped, onError } = options
  let reader: SessionReader | undefined
  let work = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isWaiting = false
  let isLeaving = false
  let isDropped = false
  let changedAt = 0
  let pauseEnds = 0

  const leave = async (): Promise<void> => {
    isDropped = true
    clearTimeout(timer)
    onDropped()
    await reader?.release()
  }
  const enqueue = (step: () => Promise<void>): Promise<void> => {
    work = work
      .then(() => (isDropped ? undefined : step()))
      .catch(async (cause: unknown) => {
        // What is in memory may be ahead of the log: the files are read again from what is stored.
        await leave()
        onError(cause)
      })
    return work
  }
  const after = (ms: number, step: () => Promise<void>): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void enqueue(step), ms).unref()
  }
  /** Nothing has come for a while: the run is over if it was answered, or after long. */
  const rest = async (): Promise<void> => {
    const session = reader?.session()
    const isOld = now() - changedAt >= quietMs
    if (session?.isRunning() && (isOld || session.isAnswered()))
      await reader?.close({ isHistory: false })
    if (!(await noteRead(options, reader)) || isOld) await leave()
    else after(quietMs, rest)
  }

  const next = async (outcome: ReadOutcome): Promise<void> => {
    if (outcome === 'read') return after(answerMs, rest)
    if (outcome === 'starting') return after(retryMs, read)
    if (outcome === 'off' && reader?.session()?.isRunning())
      await reader.close({ isHistory: false })
    if (outcome !== 'none' && outcome !== 'off') await noteRead(options, reader)
    await leave()
  }

  const readInTurn = async (): Promise<ReadOutcome | undefined> => {
    if (isLeaving) return undefined
    isWaiting = false
    changedAt = now()
    reader ??= await library.open(source, root, path)
    return reader.catchUp({ isHistory: false })
  }
  const read = async (): Promise<void> => {
    const pause = pauseEnds - performance.now()
    if (pause > 0) return after(pause, read)
    const { result, took } = await turns.take({ isFirst: reader === undefined }, readInTurn)
    if (took >= pauseMs.from) pauseEnds = performance.now() + Math.min(took, pauseMs.to)
    if (result !== undefined) await next(result)
  }

  return {
    changed() {
      if (isWaiting || isDropped) return
      isWaiting = true
      if (!isLeaving) void enqueue(read)
    },
    sessionId: () => reader?.session()?.id,
    async drop() {
      isLeaving = true
      await enqueue(leave)
      return isWaiting
    },
  }
}

/** Notes what is read. Resolves with whether the file is still there. */
const noteRead = async (
  { library, source, root, path }: LiveFileOptions,
  reader: SessionReader | undefined,
): Promise<boolean> => {
  const found = await findSessionFiles(source, root, path, reader?.nativeId())
  if (reader && found) await library.noteRead(reader, root, found)
  return found !== undefined
}
