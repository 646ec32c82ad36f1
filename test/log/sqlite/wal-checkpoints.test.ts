import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createWalCheckpoints } from '../../../src/log/sqlite/wal-checkpoints.ts'

/** Checkpoints made by a thread with this program, and the calls that the writes receive. */
const open = (program: string) => {
  const calls: string[] = []
  const failed = Promise.withResolvers<void>()
  let released = Promise.withResolvers<void>()
  const checkpoints = createWalCheckpoints({
    startWorker: () => new Worker(program, { eval: true, execArgv: [] }),
    onFailed: () => failed.resolve(),
    onError: (cause) => calls.push(String(cause)),
    writes: {
      hold: () => calls.push('hold'),
      release: () => {
        calls.push('release')
        released.resolve()
        released = Promise.withResolvers()
      },
    },
    pages: 1000,
  })
  return { checkpoints, calls, failed: failed.promise, released: () => released.promise }
}
const respondWith = (result: string) => `
  const { parentPort } = require('node:worker_threads')
  let count = 0
  parentPort.on('message', (message) => {
    count += 1
    message === 'close' ? parentPort.close() : parentPort.postMessage(${result})
  })
`
const megabyte = 1024 * 1024

test('writes that are far ahead of the thread are held until it has caught up', async () => {
  const { checkpoints, calls, released } = open(respondWith('[0, 3000, count === 1 ? 1000 : 3000]'))
  checkpoints.onCommit(8 * megabyte)
  expect(calls).toEqual([])
  checkpoints.onCommit(megabyte)
  checkpoints.onCommit(megabyte)
  expect(calls).toEqual(['hold'])
  await released()
  expect(calls).toEqual(['hold', 'release'])
  await checkpoints.close()
})

test('writes go on while most pages are moved, and are held for the few that came meanwhile', async () => {
  const { checkpoints, calls, released } = open(respondWith('[0, 1100, 1100]'))
  checkpoints.onCommit(8 * megabyte) // nothing is written meanwhile
  await released()
  expect(calls).toEqual(['release'])
  checkpoints.onCommit(4 * megabyte)
  checkpoints.onCommit(1000)
  expect(calls).toEqual(['release'])
  await released()
  expect(calls).toEqual(['release', 'hold', 'release'])
  await checkpoints.close()
})

test('a thread that fails is reported, and writes are released', async () => {
  const { checkpoints, calls, failed, released } = open('throw new Error("no disk")')
  checkpoints.onCommit(8 * megabyte)
  checkpoints.onCommit(megabyte)
  await failed
  await released()
  expect(calls).toEqual(['hold', 'release'])
  checkpoints.onCommit(10 * megabyte)
  checkpoints.onCommit(10 * megabyte)
  expect(calls).toEqual(['hold', 'release'])
  await checkpoints.close()
})

test('writes are released after a moment when the thread does not respond', async () => {
  const { checkpoints, calls, released } = open(
    respondWith('undefined').replace(/parentPort.post.*/, '0'),
  )
  checkpoints.onCommit(8 * megabyte)
  checkpoints.onCommit(megabyte)
  await released()
  expect(calls).toEqual(['hold', 'release'])
  await checkpoints.close()
})
