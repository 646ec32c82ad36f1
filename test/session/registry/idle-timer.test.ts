import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createIdleTimer } from '../../../src/session/registry/idle-timer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const open = (settled: () => Promise<void> = async () => {}, ms = 20) => {
  const run = vi.fn()
  return { run, ...createIdleTimer({ ms, now: Date.now, settled, run }) }
}

test('rings once after a rest, which every touch begins anew', async () => {
  const { touch, run } = open()
  touch()
  await vi.advanceTimersByTimeAsync(15)
  touch()
  await vi.advanceTimersByTimeAsync(15)
  expect(run).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(5)
  expect(run).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(100)
  expect(run).toHaveBeenCalledTimes(1)
})

test('what was on its way when it rang counts as something that happened', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { touch, run } = open(() => promise)
  touch()
  await vi.advanceTimersByTimeAsync(20)
  touch() // the end of a run is told only now
  resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(run).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(20)
  expect(run).toHaveBeenCalledTimes(1)
})

test('once stopped it never rings, whoever touches it', async () => {
  const { touch, stop, run } = open()
  touch()
  stop()
  touch()
  await vi.advanceTimersByTimeAsync(100)
  expect(run).not.toHaveBeenCalled()
})

test('one that shall never ring does not ring at once', async () => {
  const { touch, run } = open(undefined, Number.POSITIVE_INFINITY)
  touch()
  await vi.advanceTimersByTimeAsync(24 * 60 * 60 * 1000)
  expect(run).not.toHaveBeenCalled()
})
