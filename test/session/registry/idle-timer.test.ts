import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createIdleTimer } from '../../../src/session/registry/idle-timer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const open = (settled: () => Promise<void> = async () => {}, ms = 20) => {
  const run = vi.fn()
  return { run, ...createIdleTimer({ ms, now: Date.now, settled, run }) }
}

test('fires once after the idle time, which every touch restarts', async () => {
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

test('does not fire if something that was on its way restarts it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { touch, run } = open(() => promise)
  touch()
  await vi.advanceTimersByTimeAsync(20)
  touch() // the end of a run is published only now
  resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(run).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(20)
  expect(run).toHaveBeenCalledTimes(1)
})

test('never fires once it is stopped', async () => {
  const { touch, stop, run } = open()
  touch()
  stop()
  touch()
  await vi.advanceTimersByTimeAsync(100)
  expect(run).not.toHaveBeenCalled()
})

test('never fires with an infinite idle time', async () => {
  const { touch, run } = open(undefined, Number.POSITIVE_INFINITY)
  touch()
  await vi.advanceTimersByTimeAsync(24 * 60 * 60 * 1000)
  expect(run).not.toHaveBeenCalled()
})
