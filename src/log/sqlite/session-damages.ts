import type { SessionDamage } from '../../events/types.ts'
import { createDamageCollector, type Damage, type DamageCollector } from '../damage.ts'
import {
  columnOf,
  type Database,
  numberColumn,
  prepareStatement,
  readableRows,
  textColumn,
} from './database.ts'
import type { Writes } from './writes.ts'

/** Which sessions are damaged, by their number. */
export interface SessionDamages {
  find(number: number): SessionDamage | undefined
  /** Remembers damage of a session, also for the next start. */
  mark(session: { number: number; id: string }, damage: SessionDamage): void
  /** Forgets a session that is deleted. Call it inside a write. */
  forget(number: number): void
  /** The last event that can be read, of those up to `head`. */
  readableHead(number: number, head: number): number
}

/** Reads what is known to be damaged, as the log is opened. */
export const knownDamage = (database: Pick<Database, 'prepare'>): Map<number, Damage> => {
  const select = prepareStatement(
    database,
    'SELECT session, id, seq, reason FROM damage JOIN sessions ON number = session',
  )
  return new Map(
    readableRows(select).rows.map((row) => [
      numberColumn(row),
      {
        kind: 'session',
        id: textColumn(row, 1),
        reason: textColumn(row, 3),
        ...(columnOf(row, 2) !== null && { seq: numberColumn(row, 2) }),
      },
    ]),
  )
}

/** Without `writes`, damage is remembered only in memory: for a reader. */
export const createSessionDamages = (
  database: Pick<Database, 'prepare'>,
  { writes, known = knownDamage(database), reports = createDamageCollector() }: SessionDamagesParts,
): SessionDamages => {
  const sessions = new Map(known)
  const upsert = prepareStatement(
    database,
    `INSERT INTO damage (session, seq, reason) VALUES (?, ?, ?)
    ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, reason = excluded.reason`,
  )
  const remove = prepareStatement(database, 'DELETE FROM damage WHERE session = ?')

  const find = (number: number): SessionDamage | undefined => {
    const damage = sessions.get(number)
    if (!damage) return undefined
    const { reason, seq } = damage
    return { reason, ...(seq !== undefined && { seq }) }
  }

  return {
    find,
    mark({ number, id }, { reason, seq }) {
      const before = sessions.get(number)
      // The first damaged event counts: nothing after it is read.
      if (before && (before.seq ?? Number.POSITIVE_INFINITY) <= (seq ?? Number.POSITIVE_INFINITY))
        return
      const damage: Damage = { kind: 'session', id, seq, reason }
      sessions.set(number, damage)
      // A disk that cannot store this finds the damage again.
      writes?.add(() => void upsert.run(number, seq ?? null, reason)).catch(() => {})
      reports.forget('session', id)
      reports.add(damage)
    },
    forget(number) {
      const damage = sessions.get(number)
      if (!damage) return
      remove.run(number)
      sessions.delete(number)
      reports.forget('session', damage.id)
    },
    readableHead(number, head) {
      const seq = sessions.get(number)?.seq
      return seq === undefined ? head : Math.min(head, seq - 1)
    },
  }
}

interface SessionDamagesParts {
  writes?: Pick<Writes, 'add'>
  known?: ReadonlyMap<number, Damage>
  reports?: DamageCollector
}
