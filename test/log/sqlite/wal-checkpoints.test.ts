import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createWalCheckpoints } from '../../../src/log/sqlite/wal-checkpoints.ts'

/** Checkpoints by a thread with this program, and what becomes of the writes. */
const open = (program: string) => {
  const told: string[] = []
  const broken = Promise.withResolvers<void>()
  let released = Promise.withResolvers<void>()
  const checkpoints = createWalCheckpoints({
    startThread: () => new Worker(program, { eval: true, execArgv: [] }),
    onFailed: () => broken.resolve(),
    writes: {
      hold: () => told.push('hold'),
      release: () => {
        told.push('release')
        released.resolve()
        released = Promise.withResolvers()
      },
    },
    pages: 1000,
  })
  return { checkpoints, told, broken: broken.promise, released: () => released.promise }
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
  const { checkpoints, told, released } = open(answering('[0, 3000, count === 1 ? 1000 : 3000]'))
  checkpoints.onCommit(8 * megabyte)
  expect(told).toEqual([])
  checkpoints.onCommit(megabyte)
  checkpoints.onCommit(megabyte)
  expect(told).toEqual(['hold'])
  await released()
  expect(told).toEqual(['hold', 'release'])
  await checkpoints.close()
})

test('writes go on while most pages are moved, and wait for the few that came meanwhile', async () => {
  const { checkpoints, told, released } = open(answering('[0, 1100, 1100]'))
  checkpoints.onCommit(8 * megabyte) // nothing comes meanwhile
  await released()
  expect(told).toEqual(['release'])
  checkpoints.onCommit(4 * megabyte)
  checkpoints.onCommit(1000)
  expect(told).toEqual(['release'])
  await released()
  expect(told).toEqual(['release', 'hold', 'release'])
  await checkpoints.close()
})

test('a thread that fails is reported, and holds nobody up', async () => {
  const { checkpoints, told, broken, released } = open('throw new Error("no disk")')
  checkpoints.onCommit(8 * megabyte)
  checkpoints.onCommit(megabyte)
  await broken
  await released()
  expect(told).toEqual(['hold', 'release'])
  checkpoints.onCommit(10 * megabyte)
  checkpoints.onCommit(10 * megabyte)
  expect(told).toEqual(['hold', 'release'])
  await checkpoints.close()
})

test('a thread that never answers holds writes for a moment only', async () => {
  const { checkpoints, told, released } = open(
    answering('undefined').replace(/parentPort.post.*/, '0'),
  )
  checkpoints.onCommit(8 * megabyte)
  checkpoints.onCommit(megabyte)
  await released()
  expect(told).toEqual(['hold', 'release'])
  await checkpoints.close()
})
