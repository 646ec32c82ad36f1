import type { MemorySpending } from '../memory/context.ts'
import type { MovedSpending } from '../moved.ts'
import type { SpendingStep } from '../spending-update.ts'
import type { Document } from './documents.ts'

/** The sums of one session. */
export interface SpendingEntry {
  readonly key: string
  readonly sums: MemorySpending
  /** The last event that the sums include. */
  through: number
  /** Whether the session was removed. Its sums stay. */
  isFinal: boolean
}

type Owner = Pick<MemorySpending, 'sessionId' | 'projectId' | 'agent'>

/** The sums of a session, as they are stored. */
interface StoredSpending extends Owner {
  through: number
  isFinal: boolean
  rows: [name: string, row: SpendingStep][]
}

/** The sums of all sessions, in memory: a few rows per session. */
export interface SpendingBook {
  readonly all: MemorySpending[]
  /** The sums of a session that is not removed. */
  openEntry(sessionId: string): SpendingEntry | undefined
  create(key: string, owner: Owner): SpendingEntry
  /** Takes over what is stored, unless more is known here. */
  set(document: Pick<Document, 'key' | 'text'>): SpendingEntry
  /** The sums of removed sessions. */
  finished(): MemorySpending[]
  /** What is stored of an entry. */
  textOf(entry: SpendingEntry): string
}

/** What is stored of the sums of a removed session that come from another log. */
export const storedSpending = ({ rows, ...owner }: MovedSpending): string => {
  const named = rows.map((row): StoredSpending['rows'][number] => [`${row.step} ${row.model}`, row])
  const stored: StoredSpending = { ...owner, through: 1, isFinal: true, rows: named }
  return JSON.stringify(stored)
}

export const createSpendingBook = (): SpendingBook => {
  const all: MemorySpending[] = []
  const entries = new Map<string, SpendingEntry>()
  const open = new Map<string, SpendingEntry>()

  const create = (key: string, owner: Owner): SpendingEntry => {
    const entry = { key, sums: { ...owner, rows: new Map() }, through: 0, isFinal: false }
    entries.set(key, entry)
    open.set(owner.sessionId, entry)
    all.push(entry.sums)
    return entry
  }

  return {
    all,
    openEntry(sessionId) {
      const entry = open.get(sessionId)
      return entry?.isFinal ? undefined : entry
    },
    create,
    set({ key, text }) {
      const { through, isFinal, rows, ...owner }: StoredSpending = JSON.parse(text)
      const entry = entries.get(key) ?? create(key, owner)
      entry.isFinal ||= isFinal
      if (through <= entry.through) return entry
      entry.through = through
      entry.sums.rows.clear()
      for (const [name, row] of rows) entry.sums.rows.set(name, row)
      return entry
    },
    finished: () => [...entries.values()].filter(({ isFinal }) => isFinal).map(({ sums }) => sums),
    textOf({ sums, through, isFinal }) {
      const { rows, ...owner } = sums
      const stored: StoredSpending = { ...owner, through, isFinal, rows: [...rows] }
      return JSON.stringify(stored)
    },
  }
}
