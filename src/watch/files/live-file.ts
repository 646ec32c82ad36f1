import type { FileSource } from '../sources/file-source.ts'
import { findSessionFiles } from './find-files.ts'
import { type FileLibrary, quietMs } from './library.ts'
import type { ReadOutcome, SessionReader } from './session-reader.ts'

/** One session whose files an agent writes to now. */
export interface LiveFile {
  /** The files may have changed: what is new is read. */
  changed(): void
  /** The id of the session, once it is known. */
  sessionId(): string | undefined
  /** Stops to follow the files, behind what is being read. */
  drop(): Promise<void>
}

export interface LiveFileOptions {
  library: FileLibrary
  source: FileSource
  root: string
  path: string
  now(): number
  /** Called when the files are no longer followed. */
  onDropped(): void
  onError(cause: unknown): void
}

/** An answer after which nothing comes for so long is the end of its run. */
const answerMs = 1500
/** How long it takes until a file is tried again whose session Sluice may be starting. */
const retryMs = 500
/** How often a file is tried again whose session another node reads. */
const elsewhereMs = 1000

export const createLiveFile = (options: LiveFileOptions): LiveFile => {
  const { library, source, root, path, now, onDropped, onError } = options
  let reader: SessionReader | undefined
  let work = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isWaiting = false
  let isDropped = false
  let changedAt = 0

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
  const noteRead = async (): Promise<boolean> => {
    const found = await findSessionFiles(source, root, path, reader?.nativeId())
    if (reader && found) await library.noteRead(reader, root, found)
    return found !== undefined
  }

  /** Nothing has come for a while: the run is over if it was answered, or after long. */
  const rest = async (): Promise<void> => {
    const session = reader?.session()
    const isOld = now() - changedAt >= quietMs
    if (session?.isRunning() && (isOld || session.isAnswered()))
      await reader?.close({ isHistory: false })
    if (!(await noteRead()) || isOld) await leave()
    else after(quietMs, rest)
  }

  const next = async (outcome: ReadOutcome): Promise<void> => {
    if (outcome === 'read') return after(answerMs, rest)
    if (outcome === 'starting') return after(retryMs, read)
    // When that node is lost, this one goes on.
    if (outcome === 'elsewhere' && now() - changedAt < quietMs) return after(elsewhereMs, readAgain)
    if (outcome === 'off' && reader?.session()?.isRunning())
      await reader.close({ isHistory: false })
    if (outcome !== 'none' && outcome !== 'off' && outcome !== 'elsewhere') await noteRead()
    await leave()
  }

  const readAgain = async (): Promise<void> => {
    reader ??= await library.open(source, root, path)
    await next(await reader.catchUp({ isHistory: false }))
  }
  const read = async (): Promise<void> => {
    isWaiting = false
    changedAt = now()
    await readAgain()
  }

  return {
    changed() {
      if (isWaiting) return
      isWaiting = true
      void enqueue(read)
    },
    sessionId: () => reader?.session()?.id,
    drop: () => enqueue(leave),
  }
}
