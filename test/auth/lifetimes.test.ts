import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLifetimes } from '../../src/auth/lifetimes.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const day = 24 * 60 * 60 * 1000

test('an end far beyond the longest timer comes when it is due, not before', () => {
  const lifetimes = createLifetimes(Date.now)
  const end = Date.now() + 60 * day // 2^31 ms are 25 days
  const signal = lifetimes.signal('k', end)
  vi.advanceTimersByTime(60 * day - 1)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.reason).toMatchObject({ code: 'token_expired' })
  expect(vi.getTimerCount()).toBe(0)
})

test('a machine that slept notices within a minute', () => {
  let slept = 0
  const lifetimes = createLifetimes(() => Date.now() + slept)
  const signal = lifetimes.signal('k', Date.now() + day)
  vi.advanceTimersByTime(30_000)
  slept = 2 * day // timers stood still, the clock did not
  vi.advanceTimersByTime(60_000)
  expect(signal.reason).toMatchObject({ code: 'token_expired' })
})

test('the same key and end have one signal and one timer, however often they are asked for', () => {
  const lifetimes = createLifetimes(Date.now)
  const end = Date.now() + day
  const signals = Array.from({ length: 1000 }, () => lifetimes.signal('k', end))
  expect(new Set(signals).size).toBe(1)
  expect(vi.getTimerCount()).toBe(1)
  expect(lifetimes.signal('k')).not.toBe(signals[0])
  expect(lifetimes.signal('k')).toBe(lifetimes.signal('k'))
  expect(vi.getTimerCount()).toBe(1) // a key has no end
})

test('what has ended already ends at once', () => {
  const lifetimes = createLifetimes(Date.now)
  const signal = lifetimes.signal('k', Date.now() - 1)
  vi.advanceTimersByTime(0)
  expect(signal.reason).toMatchObject({ code: 'token_expired' })
})

test('close takes the timers, and ends nothing', () => {
  const lifetimes = createLifetimes(Date.now)
  const signal = lifetimes.signal('k', Date.now() + 1000)
  lifetimes.close()
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(day)
  expect(signal.aborted).toBe(false)
})
