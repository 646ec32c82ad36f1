import { randomUUID } from 'node:crypto'
import type { Log } from '../log/log.ts'
import { compareLogs } from './compare-logs.ts'
import { copyRecords } from './copy-records.ts'
import { copySessions } from './copy-sessions.ts'
import { hasData } from './has-data.ts'
import { failed } from './move-fault.ts'
import { type MoveMark, readMark, writeMark } from './move-mark.ts'
import type { MovedCounts } from './moved-counts.ts'

export interface MoveOptions {
  /** The log that is copied. It is not changed but for its mark. */
  from: Log
  to: Log
  /** How messages name the two. */
  names: { from: string; to: string }
  now(): number
  onProgress?(progress: MoveProgress): void
}

/** How far a move is. */
export interface MoveProgress {
  step: 'records' | 'sessions' | 'compare'
  /** How many sessions are done. */
  done: number
  sessions: number
}

export interface MoveResult {
  /** `done`: everything was copied and compared. `already_done`: an earlier run did it. */
  outcome: 'done' | 'already_done'
  /** Whether an earlier run that did not finish was continued. */
  isContinued: boolean
  /** What was compared, and is equal in both. Absent when an earlier run did it. */
  counts?: MovedCounts
}

/**
 * Copies everything from one log into another that is empty, then reads both and compares them. A move
 * that did not finish is continued, however it ended. Throws a `move_failed` fault.
 */
export const moveLog = async (options: MoveOptions): Promise<MoveResult> => {
  const { from, to, now } = options
  await requireReadable(options)
  if (!(await hasData(from))) throw failed(`There is nothing to move in ${options.names.from}.`)
  const [own, found] = [await readMark(from), await readMark(to)]
  const isContinued = own !== undefined && own.id === found?.id
  if (isContinued && found.doneAt !== undefined)
    return { outcome: 'already_done', isContinued: false }
  if (!isContinued) await requireEmpty(options, found)
  const { id, startedAt } = isContinued ? own : { id: randomUUID(), startedAt: now() }
  const mark = { id, startedAt, from: options.names.from, to: options.names.to }
  await writeMark(from, { ...mark, role: 'source' })
  await writeMark(to, { ...mark, role: 'target' })
  await copyRecords(options)
  await copySessions(options, () => requireMark(options, id))
  const counts = await compareLogs(options)
  await requireMark(options, id)
  await writeMark(to, { ...mark, role: 'target', doneAt: now() })
  return { outcome: 'done', isContinued, counts }
}

const requireEmpty = async (
  { to, names }: MoveOptions,
  found: MoveMark | undefined,
): Promise<void> => {
  if (found?.role === 'target' && found.doneAt === undefined)
    throw failed(
      `A move from ${found.from} into ${names.to} is not complete. Continue it, or delete the data in ${names.to} first.`,
    )
  if (await hasData(to))
    throw failed(`${names.to} already has data. Choose an empty target, or delete its data first.`)
}

/** What is damaged counts as absent, so a move would lose it silently. */
const requireReadable = async ({ from, names }: MoveOptions): Promise<void> => {
  const [damage] = from.damage.list()
  if (damage)
    throw failed(
      `${names.from} is damaged: ${damage.reason} Run \`sluice check --repair\` first, then move it.`,
    )
}

/** Two moves into one target could begin at the same time: the one whose mark is stored goes on. */
const requireMark = async ({ to, names }: MoveOptions, id: string): Promise<void> => {
  if ((await readMark(to))?.id !== id)
    throw failed(`Another move into ${names.to} has begun. This one has stopped.`)
}
