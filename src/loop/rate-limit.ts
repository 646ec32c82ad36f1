import { retryReasonOf } from '../agents/retry-reason.ts'
import { nextClockTime } from './schedule.ts'

/** Whether an error of an agent is a rate limit or a used-up plan, which ends by itself. */
export const isRateLimit = (error: string): boolean =>
  /(?:usage|session|weekly|hourly|daily|5-hour|opus|sonnet) limit|hit your (?:\w+ )?limit/i.test(
    error,
  ) || retryReasonOf({ error }).reason === 'rate_limit'

/**
 * When a rate limit ends, as the error of an agent says it, in ms since 1970. Undefined if it does not
 * say it.
 */
export const resetTimeIn = (error: string, now: number): number | undefined => {
  const found = epochIn(error) ?? dateIn(error) ?? delayIn(error, now) ?? clockIn(error, now)
  return found !== undefined && found > now ? credibleReset(found, now) : undefined
}

/** The end of a rate limit, in ms since 1970; undefined if a loop should not wait for it. */
export const credibleReset = (resetsAt: number, now: number): number | undefined =>
  resetsAt < now + maxWaitMs ? resetsAt : undefined

/** A limit that ends later than this is read wrongly: the longest ones are weekly. */
const maxWaitMs = 8 * 24 * 60 * 60 * 1000

/** `Claude AI usage limit reached|1749924000` */
const epochIn = (error: string): number | undefined => {
  const [, digits] = /\|(\d{10}|\d{13})\b/.exec(error) ?? []
  return digits === undefined ? undefined : Number(digits.padEnd(13, '0'))
}

/** `resets at 2026-11-16T20:00:00Z` */
const dateIn = (error: string): number | undefined => {
  const [date] =
    /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/.exec(error) ?? []
  return date === undefined ? undefined : Date.parse(date)
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** `Try again in ~12 min`, `retry after 20s`, `resets in 3h 20m` */
const delayIn = (error: string, now: number): number | undefined => {
  const [, text] =
    /\b(?:in|after) ~?((?:\d+(?:\.\d+)? ?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b[ ,]*)+)/i.exec(
      error,
    ) ?? []
  if (text === undefined) return undefined
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?) ?(ms|mil|s|m|h|d)/gi)]
  const sum = parts.reduce((total, [, amount, unit = '']) => {
    const name = unit.toLowerCase() === 'mil' ? 'ms' : unit.toLowerCase()
    return total + Number(amount) * (unitMs[name] ?? 0)
  }, 0)
  return now + sum
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** `resets 3:45pm (Europe/Berlin)`, `resets Nov 20, 10am` */
const clockIn = (error: string, now: number): number | undefined => {
  const { month, day, hour, minute, half, zone } =
    /\bresets? (?:at |on )?(?:(?<month>[A-Z][a-z]{2})[a-z]* (?<day>\d{1,2}),? (?:at )?)?(?<hour>\d{1,2})(?::(?<minute>\d\d))? ?(?<half>am|pm)?(?: \((?<zone>[\w/+-]+)\))?/i.exec(
      error,
    )?.groups ?? {}
  if (hour === undefined) return undefined
  const twelve = Number(hour) % 12
  return nextClockTime(
    {
      hour: half === undefined ? Number(hour) : twelve + (half.toLowerCase() === 'pm' ? 12 : 0),
      minute: Number(minute ?? 0),
      day: day === undefined ? undefined : Number(day),
      month: month === undefined ? undefined : months.indexOf(month.toLowerCase()) + 1,
      timezone: zone,
    },
    now,
  )
}

/** How long to wait for a rate limit whose end is unknown, after so many in a row. */
export const guessedWaitMs = (inARow: number): number =>
  Math.min(60, 5 * 2 ** Math.max(0, inARow - 1)) * 60_000
