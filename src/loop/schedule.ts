import { Cron } from 'croner'
import { isTimezone } from '../events/is-timezone.ts'
import type { LoopSchedule } from '../events/types.ts'

const shortestEveryMs = 1000
const longestEveryMs = 366 * 24 * 60 * 60 * 1000

/** What is wrong with a schedule, for people; undefined when it can be used. */
export const scheduleProblem = (
  { everyMs, cron, timezone }: LoopSchedule,
  now: number,
): string | undefined => {
  if (timezone !== undefined && cron === undefined)
    return 'A time zone is only for a cron expression.'
  if ((everyMs === undefined) === (cron === undefined))
    return 'A schedule has either a time between iterations or a cron expression.'
  if (everyMs !== undefined && (everyMs < shortestEveryMs || everyMs > longestEveryMs))
    return 'The time between iterations is at least a second and at most 366 days.'
  if (cron === undefined) return undefined
  if (timezone !== undefined && !isTimezone(timezone))
    return `“${timezone}” is not a time zone. Give a name such as Europe/Berlin or UTC.`
  try {
    const next = nextCron(cron, timezone, now)
    return next === undefined
      ? `The cron expression “${cron}” never matches from now on.`
      : undefined
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return `The cron expression “${cron}” is not valid: ${reason.replace(/^CronPattern: /, '')}`
  }
}

/**
 * When the next iteration starts, in ms since 1970; undefined if never. `lastStart` is when the last one
 * started. A time that passed during an iteration is left out.
 */
export const nextTime = (
  { everyMs, cron, timezone }: LoopSchedule,
  lastStart: number | undefined,
  now: number,
): number | undefined => {
  if (cron !== undefined) return nextCron(cron, timezone, now)
  if (everyMs === undefined || lastStart === undefined) return now
  const passed = Math.max(1, Math.ceil((now - lastStart) / everyMs))
  return lastStart + passed * everyMs
}

const nextCron = (cron: string, timezone: string | undefined, now: number): number | undefined =>
  new Cron(cron, timezone === undefined ? {} : { timezone }).nextRun(new Date(now))?.getTime()

/** The next time that a clock shows this, in ms since 1970; undefined if there is no such time. */
export const nextClockTime = (
  { day, month, hour, minute, timezone }: ClockTime,
  now: number,
): number | undefined => {
  try {
    return nextCron(`${minute} ${hour} ${day ?? '*'} ${month ?? '*'} *`, timezone, now)
  } catch {
    return undefined
  }
}

/** What a clock shows, with a date if there is one. */
export interface ClockTime {
  hour: number
  minute: number
  day?: number | undefined
  /** From 1. */
  month?: number | undefined
  timezone?: string | undefined
}
