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
  /** Adds what is new to what is stored. */
  save(): Promise<void>
  /** Another node has stored something. */
  onSetting(id: string): Promise<void>
}

const prefix = 'worked/'

export const openWorkedTime = async (
  settings: Pick<RecordStore<SettingRecord>, 'list' | 'get' | 'change'>,
  now: () => number,
): Promise<WorkedTime> => {
  /** By project: what is stored, by all nodes, and what is not stored yet. */
  const stored = new Map<string, Worked>()
  const unsaved = new Map<string, Worked>()
  const saving = new Set<string>()
  const note = (id: string, text: string | undefined): void => {
    const worked = id.startsWith(prefix) && text !== undefined ? workedIn(text) : undefined
    if (worked) stored.set(id.slice(prefix.length), worked)
  }
  for (const { id, value } of await settings.list()) note(id, value)

  const save = async (projectId: string): Promise<void> => {
    const added = unsaved.get(projectId)
    if (!added || saving.has(projectId)) return
    saving.add(projectId)
    const id = prefix + projectId
    try {
      const record = await settings.change(id, (before) => ({
        id,
        value: JSON.stringify(sumOf(before && workedIn(before.value), added)),
      }))
      note(id, record?.value)
      const rest = differenceOf(unsaved.get(projectId), added)
      if (rest.total > 0) unsaved.set(projectId, rest)
      else unsaved.delete(projectId)
    } finally {
      saving.delete(projectId)
    }
  }
  const current = (projectId: string): Worked =>
    sumOf(stored.get(projectId), unsaved.get(projectId) ?? nothing)
  const ofToday = ({ day, today }: Worked): number => (day === dayOf(now()) ? today : 0)

  return {
    add(projectId = '', ms) {
      if (ms <= 0) return
      const added = { total: ms, day: dayOf(now()), today: ms }
      unsaved.set(projectId, sumOf(unsaved.get(projectId), added))
    },
    today: (projectId) =>
      (projectId === undefined ? [...new Set([...stored.keys(), ...unsaved.keys()])] : [projectId])
        .map((each) => ofToday(current(each)))
        .reduce((sum, ms) => sum + ms, 0),
    total: (projectId) => current(projectId).total,
    async save() {
      for (const projectId of [...unsaved.keys()]) await save(projectId)
    },
    async onSetting(id) {
      // Otherwise what is being stored would count twice until that is done.
      if (!id.startsWith(prefix) || saving.has(id.slice(prefix.length))) return
      note(id, (await settings.get(id))?.value)
    },
  }
}

const nothing: Worked = { total: 0, day: '', today: 0 }

/** What was worked on the later day is of today. */
const sumOf = (before: Worked = nothing, added: Worked): Worked => {
  const total = before.total + added.total
  if (before.day === added.day) return { ...added, total, today: before.today + added.today }
  return before.day > added.day ? { ...before, total } : { ...added, total }
}

const differenceOf = (whole: Worked = nothing, part: Worked): Worked => ({
  ...whole,
  total: whole.total - part.total,
  today: whole.day === part.day ? whole.today - part.today : whole.today,
})

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
