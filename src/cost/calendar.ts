/** A day, week or month of a time zone. */
export interface Period {
  /** A date such as `2026-11-16`, which is a Monday for weeks; `2026-11` for months. */
  key: string
  /** In ms since 1970. The end is the start of the next period. */
  start: number
  end: number
}

export type PeriodKind = 'day' | 'week' | 'month'

/** Days, weeks and months of one time zone. A week starts on Monday. */
export interface Calendar {
  /** The period that a time is in. */
  periodOf(kind: PeriodKind, time: number): Period
  /** When a date begins there. The month counts from 1; what exceeds a month or year goes on. */
  startOf(year: number, month: number, day: number, hour?: number, minute?: number): number
}

/** Creates the calendar of a time zone such as `Europe/Berlin`. Throws when there is no such zone. */
export const createCalendar = (timezone: string): Calendar => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  /** The time that clocks there show, as if it were UTC. */
  const localTime = (time: number): number => {
    const parts = new Map(
      format.formatToParts(time).map(({ type, value }) => [type, Number(value)]),
    )
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
    return Date.UTC(
      part('year'),
      part('month') - 1,
      ...([part('day'), part('hour'), part('minute'), part('second')] as const),
    )
  }
  const offsetAt = (time: number): number => localTime(time) - Math.floor(time / 1000) * 1000

  const startOf: Calendar['startOf'] = (year, month, day, hour = 0, minute = 0) => {
    const local = Date.UTC(year, month - 1, day, hour, minute)
    // Twice: the offset may change between the two.
    const about = local - offsetAt(local)
    return local - offsetAt(about)
  }

  return {
    startOf,
    periodOf(kind, time) {
      const local = new Date(localTime(time))
      const [year, month] = [local.getUTCFullYear(), local.getUTCMonth() + 1]
      const monday = local.getUTCDate() - ((local.getUTCDay() + 6) % 7)
      const [first, days] = kind === 'week' ? [monday, 7] : [local.getUTCDate(), 1]
      if (kind === 'month')
        return {
          key: dateText(year, month, 1).slice(0, 7),
          start: startOf(year, month, 1),
          end: startOf(year, month + 1, 1),
        }
      return {
        key: dateText(year, month, first),
        start: startOf(year, month, first),
        end: startOf(year, month, first + days),
      }
    },
  }
}

const dateText = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10)
