import { createCalendar } from '../../cost/calendar.ts'
import { Fault } from '../../shared/fault.ts'

export interface TimeOptions {
  timezone: string
  now: number
  /** A date means its end: the start of the next day. */
  isEnd?: boolean
}

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const

/**
 * The time that a person means: a date, a date with a time, `today`, `yesterday`, or how long ago, such as
 * `7d`. Throws a fault when it is none of these.
 */
export const parseTime = (text: string, { timezone, now, isEnd = false }: TimeOptions): number => {
  const calendar = createCalendar(timezone)
  const { amount, unit } = /^(?<amount>\d{1,5})(?<unit>[mhdw])$/.exec(text)?.groups ?? {}
  const ago = Object.entries(units).find(([name]) => name === unit)
  if (ago) return now - Number(amount) * ago[1]
  if (text === 'today' || text === 'yesterday') {
    const today = calendar.periodOf('day', now)
    if (text === 'today') return isEnd ? today.end : today.start
    return isEnd ? today.start : calendar.periodOf('day', today.start - 1).start
  }
  if (/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:?\d\d)$/.test(text)) {
    const time = Date.parse(text)
    if (!Number.isNaN(time)) return time
  }
  const time = dateIn(text, calendar.startOf, isEnd)
  if (time !== undefined) return time
  throw new Fault(
    'usage',
    `“${text}” is not a time. Give a date such as 2026-11-16, a time such as 2026-11-16T09:30, today, yesterday, or how long ago, such as 12h or 7d.`,
  )
}

const dateForm = /^(\d{4})-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d)?)?)?$/

/** A month, a date, or a date with a time, by the clock of a time zone. */
const dateIn = (
  text: string,
  startOf: (year: number, month: number, day: number, hour?: number, minute?: number) => number,
  isEnd: boolean,
): number | undefined => {
  const [, year = '', month = '', day, hour, minute] = dateForm.exec(text) ?? []
  if (!isDate(year, month, day ?? '01')) return undefined
  if (hour !== undefined) {
    if (Number(hour) > 23 || Number(minute) > 59) return undefined
    return startOf(Number(year), Number(month), Number(day), Number(hour), Number(minute))
  }
  const [more, moreDays] = isEnd ? (day === undefined ? [1, 0] : [0, 1]) : [0, 0]
  return startOf(Number(year), Number(month) + more, Number(day ?? 1) + moreDays)
}

/** Whether a month has a day. `Date` would go on with the next month. */
const isDate = (year: string, month: string, day: string): boolean => {
  const time = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).getUTCDate() === Number(day)
}

/** The time zone of this computer. */
export const ownTimezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
