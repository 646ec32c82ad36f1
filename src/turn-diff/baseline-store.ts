import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeChildDirectory } from '../files/make-child-directory.ts'
import { type Baseline, baseline, captureRepositories } from './baseline.ts'
import { GitFault } from './git.ts'
import type { RepositoryDeps } from './repository.ts'

/**
 * Records and stores the baseline of one session: the state of its directory when its last turn
 * started. `turn-diffs.ts` has one for each session.
 */
export interface BaselineStore {
  /**
   * Records a baseline, starting at once, and stops an earlier recording. Never fails: the baseline
   * says why git could not be used.
   */
  record(directory: SessionDirectory, start: TurnStart): Promise<void>
  /** The last baseline, after all recordings; `isLatest` if no later turn started without one. */
  last(): Promise<{ baseline: Baseline | undefined; isLatest: boolean }>
  /** Uses a baseline as the last one, without storing it. */
  replace(baseline: Baseline): void
  /** Runs `work` with the folder of a baseline, which is not deleted before the work is done. */
  use<Result>(used: Baseline, work: (folder: string) => Promise<Result>): Promise<Result>
  /** Stops recording, and waits for whatever runs. */
  close(): Promise<void>
  /** Deletes everything. */
  remove(): Promise<void>
}

/** The event that starts a turn. */
export interface TurnStart {
  seq: number
  timestamp: number
}

/** The directory of a session, or a promise of it; undefined if the session does not exist. */
export type SessionDirectory = string | Promise<string | undefined>

export interface BaselineStoreOptions {
  /** The session’s own folder. */
  folder: string
  /** What recording needs; the signal stops it. */
  repositoryDeps(signal: AbortSignal): RepositoryDeps
  onError(cause: unknown): void
}

export const createBaselineStore = (options: BaselineStoreOptions): BaselineStore => {
  const { folder, onError } = options
  let last: Baseline | undefined
  /** Whether no turn can have started after the last baseline. */
  let isLatest = false
  let current = new AbortController()
  let recorded: Promise<void> = Promise.resolve()
  let cleaned: Promise<void> = Promise.resolve()
  const readers = new Set<Promise<unknown>>()

  const record = async (
    directory: SessionDirectory,
    start: TurnStart,
    signal: AbortSignal,
  ): Promise<void> => {
    const cwd = await awaitDirectory(directory, onError)
    if (cwd === undefined || signal.aborted) return
    const captured = await captureBaseline(options, cwd, start, signal)
    if (!captured) return
    last = captured
    isLatest = true
    await save(folder, captured).catch(onError)
    cleaned = cleaned.then(() => removeOtherTurns(captured.turn))
  }

  /** Deletes the folders of earlier turns when nobody reads them. */
  const removeOtherTurns = async (turn: string): Promise<void> => {
    await Promise.allSettled(readers)
    try {
      const others = (await readdir(folder)).filter((name) => /^turn-/.test(name) && name !== turn)
      for (const name of others) await rm(join(folder, name), { recursive: true, force: true })
    } catch (cause) {
      onError(cause)
    }
  }

  return {
    record(directory, start) {
      current.abort()
      current = new AbortController()
      const { signal } = current
      recorded = recorded.then(() =>
        signal.aborted ? undefined : record(directory, start, signal),
      )
      return recorded
    },
    async last() {
      let awaited: Promise<void> | undefined
      while (awaited !== recorded) {
        awaited = recorded
        await awaited
      }
      last ??= await load(folder)
      return { baseline: last, isLatest }
    },
    replace(found) {
      last = found
      isLatest = true
    },
    async use(used, work) {
      const reading = work(join(folder, used.turn))
      readers.add(reading)
      try {
        return await reading
      } finally {
        readers.delete(reading)
      }
    },
    async close() {
      current.abort()
      await recorded
      await Promise.allSettled(readers)
      await cleaned
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

const awaitDirectory = async (
  directory: SessionDirectory,
  onError: (cause: unknown) => void,
): Promise<string | undefined> => {
  try {
    return await directory
  } catch (cause) {
    onError(cause)
    return undefined
  }
}

/** Captures a directory into a new folder; undefined if the signal stopped it. */
const captureBaseline = async (
  { folder, repositoryDeps, onError }: BaselineStoreOptions,
  cwd: string,
  start: TurnStart,
  signal: AbortSignal,
): Promise<Baseline | undefined> => {
  const turn = `turn-${start.seq}`
  const empty: Baseline = { seq: start.seq, at: start.timestamp, cwd, turn, repositories: [] }
  try {
    await rm(join(folder, turn), { recursive: true, force: true })
    await makeFolder(folder)
    await makeChildDirectory(join(folder, turn))
    const repositories = await captureRepositories(repositoryDeps(signal), cwd, join(folder, turn))
    return { ...empty, repositories }
  } catch (cause) {
    if (signal.aborted) return undefined
    if (!isExpected(cause)) onError(cause)
    return { ...empty, reason: cause instanceof GitFault ? cause.reason : 'git_failed' }
  }
}

/** A directory without git is no error. */
const isExpected = (cause: unknown): boolean =>
  cause instanceof GitFault && (cause.reason === 'no_work_tree' || cause.reason === 'git_missing')

const makeFolder = async (folder: string): Promise<void> => {
  await makeChildDirectory(dirname(folder))
  await makeChildDirectory(folder)
}

const fileIn = (folder: string) => join(folder, 'base.json')

/** Writes a new file and renames it: a crash leaves the old baseline or the new one. */
const save = async (folder: string, saved: Baseline): Promise<void> => {
  await makeFolder(folder)
  const unfinished = `${fileIn(folder)}.new`
  await writeFile(unfinished, JSON.stringify(saved), { mode: 0o600 })
  await rename(unfinished, fileIn(folder))
}

/** Undefined if there is no baseline, or none that can be read. */
const load = async (folder: string): Promise<Baseline | undefined> => {
  try {
    return baseline.safeParse(JSON.parse(await readFile(fileIn(folder), 'utf8'))).data
  } catch (cause) {
    if (cause instanceof SyntaxError || (cause instanceof Error && 'code' in cause))
      return undefined
    throw cause
  }
}
