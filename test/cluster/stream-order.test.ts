import { expect, test } from 'vitest'
import { createStreamOrder } from '../../src/cluster/stream-order.ts'

/** A stream whose messages may get lost; those that are fetched are marked. */
const open = (options: { failures?: number } = {}) => {
  const delivered: string[] = []
  const errors: unknown[] = []
  let failures = options.failures ?? 0
  const order = createStreamOrder<string>({
    deliver: (message) => void delivered.push(message),
    async fetchMissed(from, to) {
      if (failures > 0) {
        failures -= 1
        throw new Error('no leader')
      }
      for (let seq = from; seq <= to; seq += 1) delivered.push(`fetched ${seq}`)
    },
    onError: (cause) => void errors.push(cause),
  })
  return { order, delivered, errors }
}

test('what is before the start is not delivered, also when it arrives later', () => {
  const { order, delivered } = open()
  order.add(6, 1, 'six')
  order.start(5)
  order.add(5, 1, 'five')
  order.add(7, 1, 'seven')
  expect(delivered).toEqual(['six', 'seven'])
})

test('a message that is left out is fetched before the next one is delivered', async () => {
  const { order, delivered } = open()
  order.start(0)
  order.add(1, 1, 'one')
  order.add(4, 1, 'four')
  order.add(5, 1, 'five')
  await expect.poll(() => delivered).toHaveLength(5)
  expect(delivered).toEqual(['one', 'fetched 2', 'fetched 3', 'four', 'five'])
})

test('messages in another order are delivered once', async () => {
  const { order, delivered } = open()
  order.start(0)
  for (const seq of [2, 1, 3, 2, 3]) order.add(seq, 1, `${seq}`)
  await expect.poll(() => delivered).toHaveLength(3)
  expect(delivered.map((each) => each.replace('fetched ', ''))).toEqual(['1', '2', '3'])
})

test('a last message that did not arrive is found by comparing with the leader', async () => {
  const { order, delivered } = open()
  order.start(2)
  await order.compare(2)
  expect(order.lag()).toBe(0)
  await order.compare(4)
  expect(order.lag()).toBe(2)
  expect(delivered).toEqual(['fetched 3', 'fetched 4'])
  await order.compare(4)
  expect(order.lag()).toBe(0)
})

test('a fetch that fails is made again', async () => {
  const { order, delivered, errors } = open({ failures: 2 })
  order.start(0)
  order.add(2, 1, 'two')
  await expect.poll(() => delivered).toEqual(['fetched 1', 'two'])
  expect(errors).toHaveLength(2)
})

test('what waits is bounded: the rest is fetched', async () => {
  const { order, delivered } = open({ failures: 1 })
  order.start(0)
  const large = 3 * 1024 * 1024
  order.add(2, large, 'two')
  order.add(3, large, 'three')
  await expect.poll(() => delivered).toHaveLength(3)
  expect(delivered).toEqual(['fetched 1', 'two', 'fetched 3'])
})

test('a message that arrives when a fetch has just ended is delivered at once', async () => {
  const delivered: number[] = []
  const order = createStreamOrder<number>({
    deliver(message) {
      delivered.push(message)
      if (message === 2) queueMicrotask(() => order.add(3, 1, 3))
    },
    fetchMissed: async () => void delivered.push(1),
    onError: (cause) => expect.unreachable(String(cause)),
  })
  order.start(0)
  order.add(2, 1, 2)
  await new Promise(setImmediate)
  expect(delivered).toEqual([1, 2, 3])
})

test('an error of a listener stops nothing', () => {
  const errors: unknown[] = []
  const order = createStreamOrder<number>({
    deliver(message) {
      if (message === 1) throw new Error('first')
    },
    fetchMissed: async () => {},
    onError: (cause) => void errors.push(cause),
  })
  order.start(0)
  order.add(1, 1, 1)
  order.add(2, 1, 2)
  expect(errors).toHaveLength(1)
})
