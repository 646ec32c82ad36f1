import { describe, expect, test } from 'vitest'
import { loopSchedule } from '../../src/events/loop.ts'
import { credibleReset, isRateLimit, resetTimeIn } from '../../src/loop/rate-limit.ts'
import { nextTime, scheduleProblem } from '../../src/loop/schedule.ts'

const now = Date.UTC(2026, 10, 16, 12, 0, 0)
const at = (time: number | undefined) => (time === undefined ? time : new Date(time).toISOString())

describe('schedules', () => {
  test('a cron expression is read in its time zone', () => {
    const night = { cron: '0 3 * * *', timezone: 'Europe/Zurich' }
    expect(at(nextTime(night, undefined, now))).toBe('2026-11-17T02:00:00.000Z')
    // Summer time ends in between.
    expect(at(nextTime(night, undefined, Date.UTC(2026, 9, 24, 12)))).toBe(
      '2026-10-25T02:00:00.000Z',
    )
  })

  test.each([
    [{}, 'either'],
    [{ everyMs: 1000, cron: '* * * * *' }, 'either'],
    [{ cron: 'every night' }, 'not valid'],
    [{ cron: '0 3 * * *', timezone: 'Mars/Olympus' }, '“Mars/Olympus” is not a time zone. Give'],
    [{ cron: '0 0 31 2 *' }, 'never'],
    [{ cron: '0 0 0 1 1 * 1999' }, 'never'],
    [{ everyMs: 1000, timezone: 'UTC' }, 'time zone'],
    [{ everyMs: 999 }, 'at least a second'],
    [{ everyMs: 367 * 24 * 60 * 60 * 1000 }, 'at most 366 days'],
    [{ timezone: 'UTC' }, 'time zone is only for a cron'],
  ])('%j is refused', (schedule, reason) => {
    expect(scheduleProblem(schedule, now)).toContain(reason)
  })

  test.each([
    { cron: '*/5 * * * *' },
    { everyMs: 60_000 },
    { cron: '0 9 * * 1-5', timezone: 'UTC' },
  ])('%j is accepted', (schedule) => expect(scheduleProblem(schedule, now)).toBeUndefined())
})

test('a wait is at most 366 days: no date can have every time', () => {
  const year = 366 * 24 * 60 * 60 * 1000
  expect(loopSchedule.safeParse({ everyMs: year }).success).toBe(true)
  expect(loopSchedule.safeParse({ everyMs: year + 1 }).success).toBe(false)
})

describe('rate limits', () => {
  test('a loop does not wait for a time that is far away', () => {
    expect(credibleReset(now + 3_600_000, now)).toBe(now + 3_600_000)
    expect(credibleReset(Number.MAX_SAFE_INTEGER, now)).toBeUndefined()
  })

  test.each([
    ['Claude AI usage limit reached|1794830400', '2026-11-16T12:00:00.000Z', -1],
    ['Claude AI usage limit reached|1794837600', '2026-11-16T14:00:00.000Z', 0],
    ['You’ve hit your session limit · resets 3:45pm (UTC)', '2026-11-16T15:45:00.000Z', 0],
    ['You have hit your limit · resets 3am (Europe/Berlin)', '2026-11-17T02:00:00.000Z', 0],
    ['Weekly limit reached · resets Nov 20, 10am (UTC)', '2026-11-20T10:00:00.000Z', 0],
    ['You have hit your ChatGPT usage limit. Try again in ~12 min.', '2026-11-16T12:12:00.000Z', 0],
    ['429 Rate limit reached. Please try again in 1.5s', '2026-11-16T12:00:01.500Z', 0],
    ['rate limit, resets in 3h 20m', '2026-11-16T15:20:00.000Z', 0],
    ['429 quota: resets at 2026-11-16T20:00:00Z', '2026-11-16T20:00:00.000Z', 0],
    ['429 Number of request tokens has exceeded your per-minute rate limit', undefined, 0],
    ['rate limit, resets Xyz 44, 99pm', undefined, 0],
    ['rate limit, try again in 400 days', undefined, 0],
  ])('%s', (error, expected, passed) => {
    expect(isRateLimit(error)).toBe(true)
    expect(at(resetTimeIn(error, now))).toBe(passed === 0 ? expected : undefined)
  })

  test.each(['401 invalid x-api-key', 'fetch failed', 'The model is overloaded', ''])(
    '“%s” is none',
    (error) => expect(isRateLimit(error)).toBe(false),
  )
})
