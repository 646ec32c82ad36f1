import { expect, test } from 'vitest'
import { createCommandOrder } from '../../src/http/command-order.ts'

/** A promise, and the function that resolves it. */
const deferred = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, resolve }
}

test('commands are sent in the order of arrival, whichever is prepared first', async () => {
  const commands = createCommandOrder()
  const slow = deferred()
  const order: string[] = []
  const first = commands.run(
    's',
    () => slow.promise,
    async () => void order.push('prompt'),
  )
  const second = commands.run(
    's',
    async () => {},
    async () => void order.push('abort'),
  )
  await commands.run(
    'other',
    async () => {},
    async () => void order.push('of another session'),
  )
  slow.resolve()
  await Promise.all([first, second])
  expect(order).toEqual(['of another session', 'prompt', 'abort'])
  expect(commands.size()).toBe(0)
})

test('a command does not wait for the result of the one before', async () => {
  const commands = createCommandOrder()
  const end = deferred()
  const run = commands.run(
    's',
    async () => {},
    () => end.promise,
  )
  const next = commands.run(
    's',
    async () => {},
    async () => 'done',
  )
  expect(await next).toBe('done')
  end.resolve()
  await run
  expect(commands.size()).toBe(0)
})

test('a command that is refused neither blocks nor reorders the others', async () => {
  const commands = createCommandOrder()
  const slow = deferred()
  const order: string[] = []
  const first = commands.run(
    's',
    () => slow.promise,
    async () => void order.push('first'),
  )
  const refused = commands.run(
    's',
    () => Promise.reject(new Error('outside the roots')),
    async () => void order.push('refused'),
  )
  const third = commands.run(
    's',
    async () => {},
    async () => void order.push('third'),
  )
  await expect(refused).rejects.toThrow('outside the roots')
  slow.resolve()
  await Promise.all([first, third])
  expect(order).toEqual(['first', 'third'])
})
