import { dayOf } from '../../budget/day.ts'
import type { RecordStore } from '../../log/log.ts'
import type { SettingRecord } from '../../log/types.ts'
import { isFields, numberOf, stringOf } from '../../shared/fields.ts'

/** How long agents have worked: in all, and on one day. In ms. */
interface Worked {
  total: number
  day: string
  today: number
}

/** How long the agents of each project have worked. The log has no events about that. */
export interface WorkedTime {
  /** An agent has worked this much longer. */
  add(projectId: string | undefined, ms: number): void
  /** Since midnight: of one project, or of all. */
  today(projectId?: string): number
  /** In all, of one project. */
  total(projectId: string): number
  /** Stores what has changed. */
  save(): Promise<void>
}

const prefix = 'worked/'

export const openWorkedTime = async (
  settings: Pick<RecordStore<SettingRecord>, 'list' | 'put'>,
  now: () => number,
): Promise<WorkedTime> => {
  const byProject = new Map<string, Worked>()
  const changed = new Set<string>()
  for (const { id, value } of await settings.list()) {
    const worked = id.startsWith(prefix) ? workedIn(value) : undefined
    if (worked) byProject.set(id.slice(prefix.length), worked)
  }

  const ofToday = (worked: Worked | undefined): number =>
    worked?.day === dayOf(now()) ? worked.today : 0

  return {
    add(projectId = '', ms) {
      if (ms <= 0) return
      const before = byProject.get(projectId)
      const today = ofToday(before) + ms
      byProject.set(projectId, { total: (before?.total ?? 0) + ms, day: dayOf(now()), today })
      changed.add(projectId)
    },
    today: (projectId) =>
      projectId === undefined
        ? [...byProject.values()].reduce((sum, worked) => sum + ofToday(worked), 0)
        : ofToday(byProject.get(projectId)),
    total: (projectId) => byProject.get(projectId)?.total ?? 0,
    async save() {
      for (const id of [...changed]) {
        changed.delete(id)
        const value = JSON.stringify(byProject.get(id))
        await settings.put({ id: `${prefix}${id}`, value }).catch((cause: unknown) => {
          changed.add(id) // stored with the next change
          throw cause
        })
      }
    },
  }
}

const workedIn = (text: string): Worked | undefined => {
  const value = parsed(text)
  if (!isFields(value)) return undefined
  const total = numberOf(value.total)
  const day = stringOf(value.day)
  const today = numberOf(value.today)
  return total === undefined || day === undefined || today === undefined
    ? undefined
    : { total, day, today }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
