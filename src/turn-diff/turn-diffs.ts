import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { FileDiff, TurnDiff, TurnDiffReason } from '../api/types.ts'
import type { Log } from '../log/log.ts'
import type { Baseline } from './baseline.ts'
import {
  type BaselineStore,
  createBaselineStore,
  type SessionDirectory,
  type TurnStart,
} from './baseline-store.ts'
import { compareRepositories } from './compare-repositories.ts'
import { singleFlight } from './concurrency.ts'
import { GitFault } from './git.ts'
import { limitAnswer, type TurnDiffLimits, turnDiffLimits } from './limits.ts'
import type { RepositoryDeps } from './repository.ts'
import { toolCallsOf } from './tool-calls.ts'
import { readToolEdits } from './tool-edits.ts'

/**
 * What changed in the directories of sessions since their last agent_start: by git, or, where git
 * cannot be used, reconstructed from the agent’s edits.
 *
 * The baseline is recorded while the agent already works. What the agent changes before git has
 * read the file counts as there before; but the first response of a model takes longer than git
 * does in all but very large trees. Nothing is ever written to the user’s repository: index and
 * objects are our own.
 */
export interface TurnDiffs {
  /**
   * Records a baseline. To be called with every agent_start, at once: from then on, `read` is about
   * this turn. Resolves when the baseline is recorded; never fails.
   */
  startTurn(sessionId: string, directory: SessionDirectory, start: TurnStart): Promise<void>
  /** What changed since the last turn started. Waits for a baseline that is being recorded. */
  read(sessionId: string, cwd: string): Promise<TurnDiff>
  /** Deletes the baseline of a session that is removed. */
  remove(sessionId: string): Promise<void>
  /** Stops whatever runs. */
  close(): Promise<void>
}

export interface TurnDiffsOptions {
  /** Where baselines are stored. Created when it is needed. */
  directory: string
  log: Pick<Log, 'read' | 'blobs'>
  /** The git executable: `git`, unless set. */
  program?: string
  env?: NodeJS.ProcessEnv
  limits?: Partial<TurnDiffLimits>
  /** Receives errors that no caller sees, for the server’s own log. */
  onError?(cause: unknown): void
}

export const createTurnDiffs = (options: TurnDiffsOptions): TurnDiffs => {
  const { log, program = 'git', env = process.env, onError = () => {} } = options
  const directory = resolve(options.directory) // git runs in other directories
  const limits = { ...turnDiffLimits, ...options.limits }
  const closing = new AbortController()
  const sessions = new Map<string, SessionTurn>()

  const repositoryDeps = (ms: number, ...signals: AbortSignal[]): RepositoryDeps => ({
    program,
    env,
    limits,
    signal: AbortSignal.any([closing.signal, AbortSignal.timeout(ms), ...signals]),
  })
  const deps: ReadDeps = {
    log,
    limits,
    repositoryDeps: () => repositoryDeps(limits.readMs),
    onError,
  }

  const turnOf = (sessionId: string): SessionTurn => {
    const found = sessions.get(sessionId)
    if (found) return found
    const baselines = createBaselineStore({
      folder: join(directory, encodeURIComponent(sessionId).replaceAll('.', '%2E')),
      repositoryDeps: (signal) => repositoryDeps(limits.beginMs, signal),
      onError,
    })
    const turn: SessionTurn = {
      sessionId,
      baselines,
      cwd: '',
      read: singleFlight(() => readTurnDiff(turn, deps)),
    }
    sessions.set(sessionId, turn)
    return turn
  }

  return {
    startTurn: (sessionId, cwd, start) => turnOf(sessionId).baselines.record(cwd, start),
    read(sessionId, cwd) {
      const turn = turnOf(sessionId)
      turn.cwd = cwd
      return turn.read()
    },
    async remove(sessionId) {
      const { baselines } = turnOf(sessionId)
      sessions.delete(sessionId)
      await baselines.close()
      await baselines.remove()
    },
    async close() {
      closing.abort()
      await Promise.all([...sessions.values()].map(({ baselines }) => baselines.close()))
    },
  }
}

/** The last turn of one session. */
interface SessionTurn {
  sessionId: string
  baselines: BaselineStore
  /** The directory as the last caller gave it. */
  cwd: string
  read(): Promise<TurnDiff>
}

interface ReadDeps extends Pick<TurnDiffsOptions, 'log'> {
  limits: TurnDiffLimits
  repositoryDeps(): RepositoryDeps
  onError(cause: unknown): void
}

const readTurnDiff = async (turn: SessionTurn, deps: ReadDeps): Promise<TurnDiff> => {
  const { sessionId } = turn
  const { log, limits } = deps
  const baseline = await lastBaseline(turn, log)
  if (!baseline) return { sessionId, since: null, source: 'none', files: [] }
  const about = { sessionId, since: baseline.at }
  const found = baseline.reason ?? (await compareByGit(baseline, turn.baselines, deps))
  if (typeof found !== 'string') return { ...about, source: 'git', ...limitAnswer(found, limits) }
  const calls = toolCallsOf(log.read(sessionId, baseline.seq), log.blobs)
  const files = await readToolEdits(calls, baseline.cwd, limits)
  return { ...about, source: 'tools', reason: found, ...limitAnswer(files, limits) }
}

/** The baseline of the last agent_start; an empty one if the server missed that event. */
const lastBaseline = async (
  { sessionId, baselines, cwd }: SessionTurn,
  log: Pick<Log, 'read'>,
): Promise<Baseline | undefined> => {
  const { baseline, isLatest } = await baselines.last()
  if (baseline && isLatest) return baseline
  let last = baseline
  for await (const { type, seq, timestamp: at } of log.read(sessionId, baseline?.seq ?? 0))
    if (type === 'agent_start')
      last = { seq, at, cwd, repositories: [], turn: '', reason: 'base_lost' }
  if (last) baselines.replace(last)
  return last
}

/** The changed files, or why git cannot find them. */
const compareByGit = async (
  baseline: Baseline,
  baselines: BaselineStore,
  { repositoryDeps, onError }: ReadDeps,
): Promise<FileDiff[] | TurnDiffReason> => {
  const present = await mkdtemp(join(tmpdir(), 'sluice-turn-'))
  try {
    const deps = repositoryDeps()
    return await baselines.use(baseline, (stored) =>
      compareRepositories(deps, baseline, { baseline: stored, present }),
    )
  } catch (cause) {
    if (!(cause instanceof GitFault)) throw cause
    onError(cause)
    return cause.reason
  } finally {
    await rm(present, { recursive: true, force: true })
  }
}
