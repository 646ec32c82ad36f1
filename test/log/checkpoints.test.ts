import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createCheckpoints } from '../../src/log/sqlite/checkpoints.ts'

/** Checkpoints by a thread with this program, and what becomes of the writes. */
const open = (program: string) => {
  const told: string[] = []
  const broken = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const checkpoints = createCheckpoints({
    start: () => new Worker(program, { eval: true, execArgv: [] }),
    onBroken: () => broken.resolve(),
    writes: {
      hold: () => told.push('hold'),
      release: () => {
        told.push('release')
        released.resolve()
      },
    },
    pages: 10,
  })
  return { checkpoints, told, broken: broken.promise, released: released.promise }
}
const answering = (progress: string) => `
  const { parentPort } = require('node:worker_threads')
  let count = 0
  parentPort.on('message', (message) => {
    count += 1
    message === 'close' ? parentPort.close() : parentPort.postMessage(${progress})
  })
`
const megabyte = 1024 * 1024

test('writes that run far ahead of the thread wait for it, and no longer', async () => {
  const { checkpoints, told, released } = open(answering('[0, 300, count === 1 ? 100 : 300]'))
  checkpoints.wrote(megabyte)
  expect(told).toEqual([])
  checkpoints.wrote(megabyte)
  checkpoints.wrote(megabyte)
  expect(told).toEqual(['hold'])
  await released
  expect(told).toEqual(['hold', 'release'])
  await checkpoints.close()
})

test('a thread that fails is reported, and holds nobody up', async () => {
  const { checkpoints, told, broken, released } = open('throw new Error("no disk")')
  checkpoints.wrote(megabyte)
  checkpoints.wrote(megabyte)
  await broken
  await released
  expect(told).toEqual(['hold', 'release'])
  checkpoints.wrote(10 * megabyte)
  checkpoints.wrote(10 * megabyte)
  expect(told).toEqual(['hold', 'release'])
  await checkpoints.close()
})

test('a thread that never answers holds writes for a moment only', async () => {
  const { checkpoints, told, released } = open(
    answering('undefined').replace(/parentPort.post.*/, '0'),
  )
  checkpoints.wrote(megabyte)
  checkpoints.wrote(megabyte)
  await released
  expect(told).toEqual(['hold', 'release'])
  await checkpoints.close()
})
