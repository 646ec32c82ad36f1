import type { Totals } from '../../events/types.ts'
import { addTotals } from '../../events/usage-sums.ts'
import type { DeletedUsage } from '../log.ts'
import type { SqliteContext } from './context.ts'
import { prepareStatement, textColumn } from './database.ts'

/** What removed sessions have used. */
export interface DeletedUsageTable {
  /** Adds the usage of a session. `project` is the column of its row. Call it inside the write that removes the session. */
  add(project: unknown, usage: Totals): void
  list(): DeletedUsage[]
}

export const createDeletedUsage = ({
  database,
}: Pick<SqliteContext, 'database'>): DeletedUsageTable => {
  const select = prepareStatement(database, 'SELECT totals FROM past_usage WHERE project = ?')
  const selectAll = prepareStatement(database, 'SELECT project, totals FROM past_usage')
  const upsert = prepareStatement(
    database,
    `INSERT INTO past_usage (project, totals) VALUES (?, ?)
    ON CONFLICT (project) DO UPDATE SET totals = excluded.totals`,
  )
  return {
    add(project, usage) {
      const projectId = typeof project === 'string' ? project : ''
      const row = select.get(projectId)
      const before = row === undefined ? undefined : totalsIn(textColumn(row))
      upsert.run(projectId, JSON.stringify(before ? addTotals(before, usage) : usage))
    },
    list: () =>
      selectAll.all().flatMap((row) => {
        const usage = totalsIn(textColumn(row, 1))
        const projectId = textColumn(row)
        return usage ? [{ usage, ...(projectId !== '' && { projectId }) }] : []
      }),
  }
}

/** Undefined when the row is damaged: sums can be missing, but must not stop anything. */
const totalsIn = (text: string): Totals | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
