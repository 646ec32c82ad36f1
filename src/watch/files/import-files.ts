import type { FileSource } from '../sources/file-source.ts'
import { type FoundSession, findSessions } from './find-files.ts'
import type { FileLibrary } from './library.ts'
import type { ReadOutcome } from './session-reader.ts'

/** What an import found and did, for one agent. */
export interface ImportCount {
  agent: string
  directory: string
  /** Sessions that were new or had grown, and were read. */
  read: number
  /** Sessions whose files have not changed since they were read. */
  unchanged: number
  /** Sessions that Sluice runs itself. */
  own: number
  /** Sessions that a person deleted here. */
  deleted: number
  /** Files without a session. */
  empty: number
  /** The bytes of the files that were read. */
  bytes: number
}

export interface ImportFilesOptions {
  library: FileLibrary
  source: FileSource
  root: string
  /** The files, the latest first. Default: all that are found. */
  sessions?: readonly FoundSession[]
  /** Only counts what would be read. */
  isDry?: boolean
  signal?: AbortSignal | undefined
  /** Called before each session, to leave time for other work. */
  pace?(): Promise<void>
  /** Called when one session cannot be read. All others are read all the same. */
  onError(cause: unknown): void
  /** Whether a file is left out. */
  isLeftOut?(found: FoundSession): boolean
}

/** When so many fail one after the other, it is not because of them: the log cannot store anything. */
const maxFailures = 10

/** Reads all session files of an agent once, the latest first. */
export const importFiles = async (options: ImportFilesOptions): Promise<ImportCount> => {
  const { library, source, root, isDry = false, signal, onError } = options
  const count: ImportCount = {
    ...{ agent: source.agent, directory: root },
    ...{ read: 0, unchanged: 0, own: 0, deleted: 0, empty: 0, bytes: 0 },
  }
  let failures = 0
  const readOne = async (found: FoundSession): Promise<ReadOutcome | 'failed'> => {
    try {
      const outcome = await library.read(source, root, found)
      failures = 0
      return outcome
    } catch (cause) {
      failures += 1
      if (failures >= maxFailures) throw cause
      onError(cause)
      return 'failed'
    }
  }
  for (const found of options.sessions ?? (await findSessions(source, root, signal))) {
    if (signal?.aborted) break
    if (library.isRead(root, found)) {
      count.unchanged += 1
      continue
    }
    if (options.isLeftOut?.(found)) continue
    await options.pace?.()
    if (signal?.aborted || options.isLeftOut?.(found)) continue
    const outcome = isDry ? 'read' : await readOne(found)
    const name = countedAs[outcome]
    if (name) count[name] += 1
    if (outcome === 'read') count.bytes += found.bytes
  }
  return count
}

const countedAs: Partial<Record<ReadOutcome | 'failed', 'read' | 'own' | 'deleted' | 'empty'>> = {
  read: 'read',
  own: 'own',
  deleted: 'deleted',
  none: 'empty',
}
