import type { HealthReason } from '../api/types.ts'
import type { Damage } from '../log/damage.ts'
import { type LogState, type LogStatus, refusalOf } from '../log/log-status.ts'
import { defined } from '../shared/fields.ts'
import { formatSize } from '../shared/format-size.ts'

/** How many damaged sessions are named. */
const namedSessions = 5

/** What is wrong with a server, for callers. */
export const healthReasons = ({ status, damage, overBytes }: HealthFacts): HealthReason[] => [
  ...statusReasons(status),
  ...sessionReasons(damage.filter(({ kind }) => kind === 'session')),
  ...recordReasons(damage.filter(({ kind }) => kind !== 'session' && kind !== 'table')),
  ...tableReasons(damage.filter(({ kind }) => kind === 'table')),
  ...keepReasons(overBytes),
]

/** What the health of a server depends on. */
export interface HealthFacts {
  status: LogStatus
  damage: readonly Damage[]
  /** By how much the log is larger than `--keep` allows. */
  overBytes: number
}

const statusReasons = (status: LogStatus): HealthReason[] => {
  const refusal = refusalOf(status)
  if (!refusal) return []
  return [
    {
      code: healthCodes[status.state],
      detail: refusal.message,
      ...defined({ since: status.since }),
    },
  ]
}

const healthCodes = {
  ok: 'log_failed',
  low_space: 'disk_full',
  full: 'disk_full',
  unwritable: 'log_failed',
  failed: 'log_failed',
  unreachable: 'log_unreachable',
} as const satisfies Record<LogState, HealthReason['code']>

const sessionReasons = (sessions: readonly Damage[]): HealthReason[] => {
  const named = sessions.slice(0, namedSessions).map(({ id, reason }): HealthReason => {
    const detail = `Session ${id} is damaged and accepts no prompts. ${reason} ${whatToDo}`
    return { code: 'session_damaged', sessionId: id, detail }
  })
  const others = sessions.length - named.length
  if (others === 0) return named
  const detail = others === 1 ? '1 more session is' : `${others} more sessions are`
  return [...named, { code: 'session_damaged', detail: `${detail} damaged.` }]
}

const recordReasons = (records: readonly Damage[]): HealthReason[] => {
  if (records.length === 0) return []
  const kinds = [...new Set(records.map(({ kind }) => kind))].join(', ')
  const what =
    records.length === 1
      ? 'A stored record cannot be read and counts as absent'
      : `${records.length} stored records cannot be read and count as absent`
  const detail = `${what} (${kinds}). ${whatToDo}`
  return [{ code: 'records_damaged', detail }]
}

const tableReasons = (tables: readonly Damage[]): HealthReason[] =>
  tables.map(({ reason }) => ({
    code: 'records_damaged',
    detail: `${reason} Stop the server and run \`sluice check --repair\`.`,
  }))

const whatToDo = 'To look for damage, run `sluice check`.'

/** That the log is too large, although everything that may be deleted is. */
const keepReasons = (overBytes: number): HealthReason[] => {
  if (overBytes === 0) return []
  const detail = `The log is ${formatSize(overBytes)} larger than --keep allows, and the rest is pinned or in use. Unpin or delete sessions, or raise --keep.`
  return [{ code: 'keep_exceeded', detail }]
}
