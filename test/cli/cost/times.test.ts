import { expect, test } from 'vitest'
import { parseTime } from '../../../src/cli/cost/times.ts'

const now = Date.parse('2026-11-16T11:00Z')
const parse = (text: string, isEnd = false, timezone = 'Europe/Berlin'): string =>
  new Date(parseTime(text, { timezone, now, isEnd })).toISOString().slice(0, 16)

test.each([
  ['2026-11-16', '2026-11-15T23:00', '2026-11-16T23:00'],
  ['2026-11', '2026-10-31T23:00', '2026-11-30T23:00'],
  ['2026-12', '2026-11-30T23:00', '2026-12-31T23:00'],
  ['2026-11-16T09:30', '2026-11-16T08:30', '2026-11-16T08:30'],
  ['2026-11-16 09:30', '2026-11-16T08:30', '2026-11-16T08:30'],
  ['2026-11-16T09:30:00Z', '2026-11-16T09:30', '2026-11-16T09:30'],
  ['2026-11-16T09:30+02:00', '2026-11-16T07:30', '2026-11-16T07:30'],
  ['today', '2026-11-15T23:00', '2026-11-16T23:00'],
  ['yesterday', '2026-11-14T23:00', '2026-11-15T23:00'],
  ['90m', '2026-11-16T09:30', '2026-11-16T09:30'],
  ['7d', '2026-11-09T11:00', '2026-11-09T11:00'],
])('%s begins at %s and ends at %s', (text, start, end) => {
  expect([parse(text), parse(text, true)]).toEqual([start, end])
})

test.each(['', 'tomorrow', '2026-13-01', '2026-02-30', '2026-11-16T25:00', '7y', '-1d', '1'])(
  '“%s” is refused',
  (text) => {
    expect(() => parse(text)).toThrow(/is not a time/)
  },
)
