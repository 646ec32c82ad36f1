import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLifetimes } from '../../src/auth/lifetimes.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const day = 24 * 60 * 60 * 1000

test('an expiry beyond the longest possible timer fires on time', () => {
  const lifetimes = createLifetimes(Date.now)
  const end = Date.now() + 60 * day // 2^31 ms are 25 days
  const signal = lifetimes.signalFor('k', end)
  vi.advanceTimersByTime(60 * day - 1)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.reason).toMatchObject({ code: 'token_expired' })
  expect(vi.getTimerCount()).toBe(0)
})

test('after sleep, an expiry is noticed within a minute', () => {
  let slept = 0
  const lifetimes = createLifetimes(() => Date.now() + slept)
  const signal = lifetimes.signalFor('k', Date.now() + day)
  vi.advanceTimersByTime(30_000)
  slept = 2 * day // timers stop during sleep, the clock does not
  vi.advanceTimersByTime(60_000)
  expect(signal.reason).toMatchObject({ code: 'token_expired' })
})

test('the same key and expiry share one signal and one timer', () => {
  const lifetimes = createLifetimes(Date.now)
  const end = Date.now() + day
  const signals = Array.from({ length: 1000 }, () => lifetimes.signalFor('k', end))
  expect(new Set(signals).size).toBe(1)
  expect(vi.getTimerCount()).toBe(1)
  expect(lifetimes.signalFor('k')).not.toBe(signals[0])
  expect(lifetimes.signalFor('k')).toBe(lifetimes.signalFor('k'))
  expect(vi.getTimerCount()).toBe(1) // a key does not expire
})

test('a token that has already expired aborts at once', () => {
  const lifetimes = createLifetimes(Date.now)
  const signal = lifetimes.signalFor('k', Date.now() - 1)
  vi.advanceTimersByTime(0)
  expect(signal.reason).toMatchObject({ code: 'token_expired' })
})

test('close stops the timers and aborts nothing', () => {
  const lifetimes = createLifetimes(Date.now)
  const signal = lifetimes.signalFor('k', Date.now() + 1000)
  lifetimes.close()
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(day)
  expect(signal.aborted).toBe(false)
})
