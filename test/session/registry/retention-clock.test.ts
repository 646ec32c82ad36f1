import { expect, test } from 'vitest'
import { openMemoryLog } from '../../../src/log/index.ts'
import { createRetentionClock } from '../../../src/session/registry/retention-clock.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour

/** A machine whose clock can be set. */
const startMachine = async () => {
  const log = await openMemoryLog()
  let wall = Date.UTC(2026, 0, 1)
  let monotonic = 5000
  const startServer = (ageMs = 90 * day) =>
    createRetentionClock({ ...log, ageMs, now: () => wall, monotonic: () => monotonic })
  return {
    startServer,
    pass(ms: number) {
      wall += ms
      monotonic += ms
    },
    setClock(ms: number) {
      wall += ms
    },
    sleep(ms: number) {
      wall += ms
    },
    time: () => wall,
  }
}

test('a clock that goes as it should is trusted', async () => {
  const machine = await startMachine()
  const clock = machine.startServer()
  expect(await clock.check()).toEqual({})
  machine.pass(hour)
  expect(await clock.check()).toEqual({})
  machine.pass(400 * day) // by both clocks
  expect(await clock.check()).toEqual({})
})

test('after a jump of a year, nothing is deleted for a day', async () => {
  const machine = await startMachine()
  const clock = machine.startServer()
  await clock.check()
  machine.pass(hour)
  machine.setClock(365 * day)
  const heldUntil = machine.time() + day
  expect(await clock.check()).toEqual({ jumpedMs: 365 * day, heldUntil })
  machine.pass(hour)
  expect(await clock.check()).toEqual({ heldUntil })
  expect(await machine.startServer().check()).toEqual({ heldUntil }) // a restart changes nothing
  machine.pass(23 * hour)
  expect(await clock.check()).toEqual({})
})

test('a clock that was wrong when the server started is noticed', async () => {
  const machine = await startMachine()
  await machine.startServer().check()
  machine.setClock(365 * day)
  expect(await machine.startServer().check()).toMatchObject({ jumpedMs: 365 * day })
})

test('a clock that is set right again is trusted at once', async () => {
  const machine = await startMachine()
  const clock = machine.startServer()
  await clock.check()
  machine.setClock(365 * day)
  await clock.check()
  machine.setClock(-365 * day)
  machine.pass(hour)
  expect(await clock.check()).toEqual({})
})

test('a laptop that sleeps over a weekend is no jump', async () => {
  const machine = await startMachine()
  const clock = machine.startServer()
  await clock.check()
  machine.sleep(3 * day)
  expect(await clock.check()).toEqual({})
})
