import { expect, test } from 'vitest'
import { createCalendar } from '../../src/cost/calendar.ts'

const iso = (time: number): string => new Date(time).toISOString().slice(0, 16)
const at = (text: string): number => Date.parse(`${text}Z`)

test.each([
  ['UTC', 'day', '2026-11-16T23:59', '2026-11-16', '2026-11-16T00:00', '2026-11-17T00:00'],
  ['Asia/Tokyo', 'day', '2026-11-16T15:00', '2026-11-17', '2026-11-16T15:00', '2026-11-17T15:00'],
  [
    'Asia/Kathmandu',
    'day',
    '2026-11-16T18:14',
    '2026-11-16',
    '2026-11-15T18:15',
    '2026-11-16T18:15',
  ],
  [
    'America/New_York',
    'month',
    '2026-11-01T03:59',
    '2026-10',
    '2026-10-01T04:00',
    '2026-11-01T04:00',
  ],
  ['UTC', 'week', '2026-11-15T12:00', '2026-11-09', '2026-11-09T00:00', '2026-11-16T00:00'],
  ['UTC', 'week', '2026-11-16T00:00', '2026-11-16', '2026-11-16T00:00', '2026-11-23T00:00'],
  ['UTC', 'week', '2027-01-01T00:00', '2026-12-28', '2026-12-28T00:00', '2027-01-04T00:00'],
  ['UTC', 'month', '2026-12-31T00:00', '2026-12', '2026-12-01T00:00', '2027-01-01T00:00'],
  // A day of 25 hours, one of 23, and one that begins at 1:00.
  [
    'Europe/Berlin',
    'day',
    '2026-10-25T12:00',
    '2026-10-25',
    '2026-10-24T22:00',
    '2026-10-25T23:00',
  ],
  [
    'Europe/Berlin',
    'day',
    '2026-03-29T12:00',
    '2026-03-29',
    '2026-03-28T23:00',
    '2026-03-29T22:00',
  ],
  ['Asia/Beirut', 'day', '2026-03-29T12:00', '2026-03-29', '2026-03-28T22:00', '2026-03-29T21:00'],
] as const)('%s: the %s of %s is %s', (timezone, kind, time, key, start, end) => {
  const period = createCalendar(timezone).periodOf(kind, at(time))
  expect({ ...period, start: iso(period.start), end: iso(period.end) }).toEqual({ key, start, end })
})

test('a time zone that does not exist is refused', () => {
  expect(() => createCalendar('Mars/Olympus')).toThrow(/time zone/)
})
