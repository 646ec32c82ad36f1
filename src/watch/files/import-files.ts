import { LogFault } from '../../log/log-fault.ts'
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
  /** Files that cannot be opened: they are another user’s, or are gone by now. */
  unreadable: number
  /** Sessions that could not be stored. Why was reported. */
  failed: number
  /** The bytes of the files that were read. */
  bytes: number
}

/** How far an import is. */
export interface ImportProgress {
  agent: string
  /** How many sessions were looked at, and of how many. */
  done: number
  sessions: number
  /** How many bytes they have. */
  bytes: number
  allBytes: number
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
  /** Called after each session. */
  onProgress?(progress: ImportProgress): void
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
    ...{ read: 0, unchanged: 0, own: 0, deleted: 0, empty: 0 },
    ...{ unreadable: 0, failed: 0, bytes: 0 },
  }
  let failures = 0
  /** Copies that are read when all others are. */
  const waiting: FoundSession[] = []
  let isLast = false
  const readOne = async (found: FoundSession, depth: number): Promise<ReadOutcome | 'failed'> => {
    try {
      const outcome = await library.read(source, root, found, {
        canWait: !isLast,
        async readOriginal(nativeId) {
          const original = originals.find(nativeId)
          if (original && depth < maxDepth) await look(original, depth + 1)
        },
      })
      failures = 0
      return outcome
    } catch (cause) {
      failures += 1
      if (failures >= maxFailures || isLogFull(cause)) throw cause
      onError(cause)
      return 'failed'
    }
  }
  const seen = new Set<FoundSession>()
  /** Reads a session, if that was not done yet. */
  const look = async (found: FoundSession, depth = 0): Promise<void> => {
    if (signal?.aborted || seen.has(found)) return
    seen.add(found)
    if (library.isRead(root, found)) {
      count.unchanged += 1
      return
    }
    if (options.isLeftOut?.(found)) return
    await options.pace?.()
    if (signal?.aborted || options.isLeftOut?.(found)) return
    const outcome = isDry ? 'read' : await readOne(found, depth)
    if (outcome === 'later') waiting.push(found)
    const name = countedAs[outcome]
    if (name) count[name] += 1
    if (outcome === 'read') count.bytes += found.bytes
  }
  const all = options.sessions ?? (await findSessions(source, root, signal))
  const originals = createOriginals(all)
  const report = createReport(source.agent, all, options.onProgress)
  for (const found of all) {
    await look(found)
    report(found)
  }
  isLast = true
  for (const found of waiting) seen.delete(found)
  for (const found of waiting.splice(0)) await look(found)
  return count
}

const createReport = (
  agent: string,
  all: readonly FoundSession[],
  onProgress: ImportFilesOptions['onProgress'],
) => {
  const allBytes = all.reduce((sum, found) => sum + found.bytes, 0)
  let [done, bytes] = [0, 0]
  return (found: FoundSession): void => {
    done += 1
    bytes += found.bytes
    onProgress?.({ agent, done, sessions: all.length, bytes, allBytes })
  }
}

/** Nothing more can be stored, whatever is tried. */
const isLogFull = (cause: unknown): boolean =>
  cause instanceof LogFault && (cause.code === 'disk_full' || cause.code === 'log_failed')

/** Copies of copies of copies: deeper ones are read in any order. */
const maxDepth = 50

/** Finds sessions by the agent’s own id, which their files are named by. */
const createOriginals = (all: readonly FoundSession[]) => {
  let byName: Map<string, FoundSession> | undefined
  return {
    find(nativeId: string): FoundSession | undefined {
      byName ??= new Map(all.map((found) => [found.path.replace(/^.*\//, ''), found]))
      return byName.get(`${nativeId}.jsonl`)
    },
  }
}

type Counted = 'read' | 'own' | 'deleted' | 'empty' | 'unreadable' | 'failed'
const countedAs: Partial<Record<ReadOutcome | 'failed', Counted>> = {
  gone: 'unreadable',
  failed: 'failed',
  read: 'read',
  own: 'own',
  deleted: 'deleted',
  none: 'empty',
}
