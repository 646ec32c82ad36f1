import type { CostGroup, CostReport, CostRow } from '../../api/types.ts'
import { plainLine } from '../clean-text.ts'
import { shortId } from '../find-session.ts'

/** The title of the first column. */
export const headOf = (group: CostGroup): string => heads[group]

const heads: Readonly<Record<CostGroup, string>> = {
  day: 'Day',
  week: 'Week of',
  month: 'Month',
  block: 'Block',
  session: 'Session',
  project: 'Project',
  agent: 'Agent',
  model: 'Model',
}

/** What a row stands for, in one line. */
export const labelOf = (row: CostRow, { group, timezone }: CostReport): string => {
  const { key, name, start = 0, end = 0, pace } = row
  switch (group) {
    case 'block':
      return `${minuteIn(start, timezone).slice(5)}–${minuteIn(end, timezone).slice(11)}${pace ? ' now' : ''}`
    case 'session':
      return `${plainLine(shortId(key))} ${name === undefined ? '(deleted or unnamed)' : plainLine(name)}`
    case 'project':
      return key === '' ? '(no project)' : plainLine(name ?? `${shortId(key)} (deleted)`)
    case 'model':
      return modelLabel(key)
    default:
      return plainLine(key)
  }
}

/** A cost can be reported for a session and for no model. */
export const modelLabel = (model: string): string =>
  model === '' ? '(no model reported)' : plainLine(model)

/** A time on the clock of a time zone: 2026-11-16 09:05. */
const minuteIn = (time: number, timezone: string): string =>
  new Date(time).toLocaleString('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: timezone,
  })
