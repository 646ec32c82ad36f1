import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Log, openSqliteLog } from '../../../src/log/index.ts'
import { requireThat } from '../fault.ts'
import { eventOf, nameOf, type Operation, sessionIds } from './operations.ts'
import type { DiskState } from './trace.ts'

/**
 * Opens a log on what a power cut has left. It must hold the first operations and nothing else: all of
 * them up to one, unchanged. With `full`, every confirmed operation is among them. Returns how many
 * events were compared.
 */
export const checkState = async (
  directory: string,
  state: DiskState,
  operations: readonly Operation[],
  durability: 'full' | 'normal',
): Promise<number> => {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'sluice.db')
  writeFileSync(file, state.database)
  writeFileSync(`${file}-wal`, state.wal)
  const log = await openSqliteLog(directory)
  try {
    const { most, events } = await readEvents(log, operations)
    const done = await countByNames(log, operations, most)
    requireThat(
      durability === 'normal' || done > state.confirmed,
      `operation ${state.confirmed} was confirmed, but the log has only the first ${done}`,
    )
    checkDatabase(file)
    return events
  } finally {
    await log.close()
  }
}

/** How many operations the log may hold, by its events. Throws when an event is missing or damaged. */
const readEvents = async (
  log: Log,
  operations: readonly Operation[],
): Promise<{ most: number; events: number }> => {
  const heads = new Map<string, number>()
  for (const id of sessionIds) heads.set(id, await log.head(id))
  const firstMissing = operations.findIndex(
    (each) => each.kind === 'append' && each.first > (heads.get(each.sessionId) ?? 0),
  )
  const most = firstMissing < 0 ? operations.length : firstMissing
  let events = 0
  for (const id of sessionIds) {
    const expected = operations.flatMap((each, number) =>
      each.kind === 'append' && each.sessionId === id && number < most
        ? Array.from({ length: each.count }, (_, at) => eventOf(id, each.first + at, number))
        : [],
    )
    requireThat(
      expected.length === heads.get(id),
      `session ${id} has ${heads.get(id)} events, but ${expected.length} belong to the first operations`,
    )
    for await (const event of log.read(id, 0)) {
      const wanted = JSON.stringify(expected[event.seq - 1])
      requireThat(JSON.stringify(event) === wanted, `event ${event.seq} of ${id} is damaged`)
      events += 1
    }
  }
  requireThat(
    events === [...heads.values()].reduce((sum, head) => sum + head, 0),
    'the log does not return all of its events',
  )
  return { most, events }
}

/**
 * How many operations the log holds, by the names of its sessions: at most `most`, and at least up to
 * the last append before. Throws when the names belong to no such point.
 */
const countByNames = async (
  log: Log,
  operations: readonly Operation[],
  most: number,
): Promise<number> => {
  const names = new Map<string, string | undefined>()
  for (const id of sessionIds) names.set(id, (await log.sessions.get(id))?.name)
  const nameAt = (id: string, done: number): string | undefined => {
    const last = operations.findLastIndex(
      (each, number) => number < done && each.kind === 'rename' && each.sessionId === id,
    )
    return last < 0 ? undefined : nameOf(last)
  }
  for (let done = most; done >= 0; done -= 1) {
    if (sessionIds.every((id) => names.get(id) === nameAt(id, done))) return done
    if (operations[done - 1]?.kind !== 'rename') break
  }
  throw new Error(`the names ${JSON.stringify([...names])} do not belong to operation ${most}`)
}

const checkDatabase = (file: string): void => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const result = database.prepare('PRAGMA integrity_check').get()
    requireThat(result?.integrity_check === 'ok', `SQLite found ${JSON.stringify(result)}`)
  } finally {
    database.close()
  }
}
