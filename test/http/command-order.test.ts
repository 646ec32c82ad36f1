import { expect, test } from 'vitest'
import { createCommandOrder } from '../../src/http/command-order.ts'

/** A promise, and what settles it. */
const later = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, resolve }
}

test('commands are handed over in the order in which they came, whichever is ready first', async () => {
  const arrivals = createCommandOrder()
  const slow = later()
  const order: string[] = []
  const first = arrivals.handOver(
    's',
    () => slow.promise,
    async () => void order.push('prompt'),
  )
  const second = arrivals.handOver(
    's',
    async () => {},
    async () => void order.push('abort'),
  )
  await arrivals.handOver(
    'other',
    async () => {},
    async () => void order.push('of another session'),
  )
  slow.resolve()
  await Promise.all([first, second])
  expect(order).toEqual(['of another session', 'prompt', 'abort'])
  expect(arrivals.size()).toBe(0)
})

test('nobody waits for what comes of the one before', async () => {
  const arrivals = createCommandOrder()
  const end = later()
  const run = arrivals.handOver(
    's',
    async () => {},
    () => end.promise,
  )
  const next = arrivals.handOver(
    's',
    async () => {},
    async () => 'done',
  )
  expect(await next).toBe('done')
  end.resolve()
  await run
  expect(arrivals.size()).toBe(0)
})

test('one that is refused holds up nobody, and lets nobody pass', async () => {
  const arrivals = createCommandOrder()
  const slow = later()
  const order: string[] = []
  const first = arrivals.handOver(
    's',
    () => slow.promise,
    async () => void order.push('first'),
  )
  const refused = arrivals.handOver(
    's',
    () => Promise.reject(new Error('outside the roots')),
    async () => void order.push('refused'),
  )
  const third = arrivals.handOver(
    's',
    async () => {},
    async () => void order.push('third'),
  )
  await expect(refused).rejects.toThrow('outside the roots')
  slow.resolve()
  await Promise.all([first, third])
  expect(order).toEqual(['first', 'third'])
})
