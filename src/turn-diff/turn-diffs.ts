import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { FileDiff, TurnDiff, TurnDiffReason } from '../api/types.ts'
import type { Log } from '../log/log.ts'
import type { Baseline } from './baseline.ts'
import { createTurnKeeper, type Place, type TurnKeeper, type TurnStart } from './baseline-store.ts'
import { compareRoots } from './compare-repositories.ts'
import { singleFlight } from './concurrency.ts'
import { GitFault } from './git.ts'
import { limitAnswer, type TurnDiffLimits, turnDiffLimits } from './limits.ts'
import type { RootDeps } from './repository.ts'
import { toolCallsOf } from './tool-calls.ts'
import { readToolEdits } from './tool-edits.ts'

export interface TurnDiffsOptions {
  /** Where the states at the beginning of turns are kept; it need not exist. */
  directory: string
  log: Pick<Log, 'read' | 'blobs'>
  /** Git’s program. */
  program?: string
  env?: NodeJS.ProcessEnv
  limits?: Partial<TurnDiffLimits>
  /** Told of what is worth a line in the server’s own log. */
  onError?(cause: unknown): void
}

/**
 * What changed in the directories of sessions since their last agent_start.
 *
 * The state is taken down while the agent already works: what it changes before git has looked at the
 * file counts as there before. A model’s first answer takes longer than that in all but very large
 * trees. Nothing is ever written to the user’s repository: index and objects are our own.
 */
export const createTurnDiffs = (options: TurnDiffsOptions) => {
  const { log, program = 'git', env = process.env, onError = () => {} } = options
  const directory = resolve(options.directory) // git runs elsewhere
  const limits = { ...turnDiffLimits, ...options.limits }
  const closing = new AbortController()
  const turns = new Map<string, Turn>()

  const worldOf = (ms: number, signals: AbortSignal[]): RootDeps => ({
    program,
    env,
    limits,
    signal: AbortSignal.any([closing.signal, AbortSignal.timeout(ms), ...signals]),
  })

  const turnOf = (sessionId: string): Turn => {
    const known = turns.get(sessionId)
    if (known) return known
    const keeper = createTurnKeeper({
      folder: join(directory, encodeURIComponent(sessionId).replaceAll('.', '%2E')),
      world: (signal) => worldOf(limits.beginMs, [signal]),
      onError,
    })
    const turn: Turn = { keeper, cwd: '', read: singleFlight(() => read(sessionId, turn)) }
    turns.set(sessionId, turn)
    return turn
  }

  const read = async (sessionId: string, { keeper, cwd }: Turn): Promise<TurnDiff> => {
    const base = await lastBase(sessionId, cwd, keeper)
    if (!base) return { sessionId, since: null, source: 'none', files: [] }
    const about = { sessionId, since: base.at }
    const found = base.reason === undefined ? await byGit(base, keeper) : base.reason
    if (typeof found !== 'string') return { ...about, source: 'git', ...limitAnswer(found, limits) }
    const calls = toolCallsOf(log.read(sessionId, base.seq), log.blobs)
    const files = await readToolEdits(calls, base.cwd, limits)
    return { ...about, source: 'tools', reason: found, ...limitAnswer(files, limits) }
  }

  /** The state at the last agent_start. One that a server did not live to take down is lost. */
  const lastBase = async (
    sessionId: string,
    cwd: string,
    keeper: TurnKeeper,
  ): Promise<Baseline | undefined> => {
    const { base, isLast } = await keeper.base()
    if (base && isLast) return base
    let last = base
    for await (const { type, seq, timestamp: at } of log.read(sessionId, base?.seq ?? 0))
      if (type === 'agent_start') last = { seq, at, cwd, roots: [], turn: '', reason: 'base_lost' }
    if (last) keeper.adopt(last)
    return last
  }

  /** The files, or why git cannot tell. */
  const byGit = async (
    base: Baseline,
    keeper: TurnKeeper,
  ): Promise<FileDiff[] | TurnDiffReason> => {
    const present = await mkdtemp(join(tmpdir(), 'sluice-turn-'))
    try {
      const world = worldOf(limits.readMs, [])
      return await keeper.use((earlier) => compareRoots(world, base, { earlier, present }), base)
    } catch (cause) {
      if (!(cause instanceof GitFault)) throw cause
      onError(cause)
      return cause.reason
    } finally {
      await rm(present, { recursive: true, force: true })
    }
  }

  return {
    /**
     * To be called with every agent_start, at once: whoever looks from then on is told of this turn.
     * Settles when the state is taken down; never fails.
     */
    startTurn: (sessionId: string, cwd: Place, start: TurnStart): Promise<void> =>
      turnOf(sessionId).keeper.begin(cwd, start),
    /** What is not as it was. Waits for a state that is being taken down. */
    read(sessionId: string, cwd: string): Promise<TurnDiff> {
      const turn = turnOf(sessionId)
      turn.cwd = cwd
      return turn.read()
    },
    /** Forgets a session that is removed. */
    async remove(sessionId: string): Promise<void> {
      const { keeper } = turnOf(sessionId)
      turns.delete(sessionId)
      await keeper.close()
      await keeper.remove()
    },
    /** Stops whatever runs. */
    async close(): Promise<void> {
      closing.abort()
      await Promise.all([...turns.values()].map(({ keeper }) => keeper.close()))
    },
  }
}
export type TurnDiffs = ReturnType<typeof createTurnDiffs>

interface Turn {
  keeper: TurnKeeper
  cwd: string
  read(): Promise<TurnDiff>
}
