import type { Actor } from '../../events/types.ts'
import { allSessions } from '../../log/all-sessions.ts'
import type { Log } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import { formatSize } from '../../shared/format-size.ts'
import { createRetentionClock } from './retention-clock.ts'
import type { SessionLifecycleEvent, Sessions } from './sessions.ts'

/** What is kept. A session goes when one of the limits says so. */
export interface KeepLimits {
  /** Sessions without activity for so long are deleted, in ms. */
  ageMs?: number | undefined
  /** How many bytes the log may hold. Above, the sessions that were not used for longest are deleted. */
  bytes?: number | undefined
}

export interface RetentionOptions {
  keep: KeepLimits
  log: Log
  sessions: Pick<Sessions, 'removeIfUnused'>
  /** Called when a session was deleted, to delete what is stored elsewhere. */
  onDeleted(sessionId: string): Promise<void>
  /** Whether this program is the one that deletes, where several share the log. Default: it is. */
  isOn?(): boolean
  /** Receives errors, and what a person should know. */
  onError(cause: unknown): void
  now?(): number
  /** A clock that nobody can set, in ms. */
  monotonic?(): number
}

/** What retention has done so far. */
export interface RetentionStatus {
  /** When it last looked, in ms since 1970. */
  lastRunAt?: number
  /** How many sessions it has deleted since the start. */
  deleted: number
  /** By how many bytes the log exceeds its limit, because nothing more may be deleted. */
  overBytes: number
}

/** Deletes sessions that are old, or too large together: never pinned ones, nor any that have work. */
export interface Retention {
  /** Looks at once, and from then on regularly. */
  start(): void
  /** Looks once. */
  run(): Promise<void>
  /** Notes that a session is used. */
  onSession(event: SessionLifecycleEvent): void
  status(): RetentionStatus
  /** Stops after the session that is being deleted. */
  close(): Promise<void>
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Who deletes, in the audit. */
const retentionActor: Actor = { kind: 'local', id: 'retention', name: 'retention' }

type Candidate = Pick<SessionRecord, 'id' | 'updatedAt' | 'removedAt' | 'name' | 'title'>

export const createRetention = (options: RetentionOptions): Retention => {
  const { keep, log, sessions, onError } = options
  const { now = Date.now, monotonic = () => performance.now() } = options
  const { ageMs, bytes: maxBytes } = keep
  const clock =
    ageMs === undefined ? undefined : createRetentionClock({ ...log, now, monotonic, ageMs })
  /** When sessions were last used in this process, by the clock that nobody can set. */
  const usedAt = new Map<string, number>()
  const status: RetentionStatus = { deleted: 0, overBytes: 0 }
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const deleteSession = async ({ id, name, title }: Candidate, why: string): Promise<boolean> => {
    const detail = [name ?? title, why].filter((each) => each !== undefined).join(': ')
    if (!(await sessions.removeIfUnused(id, { by: retentionActor, detail }))) return false
    await options.onDeleted(id)
    usedAt.delete(id)
    status.deleted += 1
    return true
  }

  const isOld = ({ id, updatedAt }: Candidate, age: number): boolean => {
    const used = usedAt.get(id)
    return now() - updatedAt >= age && (used === undefined || monotonic() - used >= age)
  }

  const deleteOld = async (age: number): Promise<void> => {
    const { heldUntil, jumpedMs } = (await clock?.check()) ?? {}
    if (jumpedMs !== undefined) onError(clockJumped(jumpedMs, age, heldUntil ?? now()))
    if (heldUntil !== undefined) return
    for (const candidate of await candidatesIn(log)) {
      if (isClosed) return
      if (isOld(candidate, age)) await deleteSession(candidate, `not used for ${timeOf(age)}`)
    }
  }

  const deleteForSpace = async (max: number): Promise<void> => {
    const overBytes = async () => Math.max(0, (await log.space()).usedBytes - max)
    let over = await overBytes()
    const candidates = over > 0 ? await candidatesIn(log) : []
    for (const candidate of removedFirst(candidates)) {
      if (over === 0 || isClosed) break
      if (await deleteSession(candidate, tooLarge(max))) over = await overBytes()
    }
    if (over > 0 && status.overBytes === 0 && !isClosed) onError(keepExceeded(over, max))
    status.overBytes = over
  }

  const look = async (): Promise<void> => {
    try {
      if (ageMs !== undefined) await deleteOld(ageMs)
      if (maxBytes !== undefined && !isClosed) await deleteForSpace(maxBytes)
      status.lastRunAt = now()
    } catch (cause) {
      if (!isClosed) onError(cause)
    }
  }

  const run = (): Promise<void> => {
    running ??= look().finally(() => {
      running = undefined
    })
    return running
  }

  const runAndRepeat = async (): Promise<void> => {
    if (options.isOn?.() !== false) await run()
    if (!isClosed) timer = setTimeout(() => void runAndRepeat(), periodOf(keep)).unref()
  }

  return {
    start: () => void runAndRepeat(),
    run,
    onSession(event) {
      if (event.type === 'session_removed') usedAt.delete(event.sessionId)
      else usedAt.set(event.session.id, monotonic())
    },
    status: () => ({ ...status }),
    async close() {
      isClosed = true
      clearTimeout(timer)
      await running
    },
  }
}

/** A limit of days needs a look each hour, one of seconds a look each second. */
const periodOf = ({ ageMs = Number.POSITIVE_INFINITY, bytes }: KeepLimits): number => {
  const longest = bytes === undefined ? hour : minute
  return Math.max(second, Math.min(longest, ageMs / 10))
}

/** Sessions that are neither pinned nor running, those that were not used for longest first. */
const candidatesIn = async (log: Log): Promise<Candidate[]> => {
  const found: Candidate[] = []
  for (const record of await allSessions(log)) {
    const { id, updatedAt, removedAt, name, title, pinned, state } = record
    if (pinned !== true && state !== 'running' && Number.isFinite(updatedAt))
      found.push({ id, updatedAt, ...defined({ removedAt, name, title }) })
  }
  return found.sort((left, right) => left.updatedAt - right.updatedAt)
}

/** Nobody sees a removed session, so it goes before one that people still see. */
const removedFirst = (candidates: readonly Candidate[]): Candidate[] => [
  ...candidates.filter(({ removedAt }) => removedAt !== undefined),
  ...candidates.filter(({ removedAt }) => removedAt === undefined),
]

const tooLarge = (max: number): string => `the log is over ${formatSize(max)}`

const keepExceeded = (over: number, max: number): Fault =>
  new Fault(
    'keep_exceeded',
    `The log is ${formatSize(over)} over its limit of ${formatSize(max)}, and what is left is pinned or in use. Unpin or delete sessions, or raise --keep.`,
  )

const clockJumped = (jumpedMs: number, age: number, heldUntil: number): Fault =>
  new Fault(
    'clock_jumped',
    `The clock is ${timeOf(jumpedMs)} ahead of the last look at old sessions. If it is right, sessions that were not used for ${timeOf(age)} are deleted after ${new Date(heldUntil).toISOString()}. If it is wrong, set it back.`,
  )

const timeOf = (ms: number): string => {
  if (ms >= 2 * day) return `${Math.round(ms / day)} days`
  return ms >= 2 * hour ? `${Math.round(ms / hour)} hours` : `${Math.ceil(ms / second)} seconds`
}
