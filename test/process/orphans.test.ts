import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { endOrphan, startTimeOf } from '../../src/process/orphans.ts'

/** A process that waits to be ended, and a child of it. */
const start = async () => {
  const child = spawn('sh', ['-c', 'sleep 600 & echo $!; wait'])
  const [line] = await once(child.stdout, 'data')
  const { pid = 0 } = child
  return { pid, below: Number(line), ended: once(child, 'exit') }
}

test('an agent that outlived its server is ended with what it started', async () => {
  const { pid, below, ended } = await start()
  expect(endOrphan(pid, startTimeOf(pid) ?? 0)).toBe(true)
  await ended
  await expect.poll(() => startTimeOf(below)).toBeUndefined()
})

test('another process that has its number by now is left alone', async () => {
  const { pid, below, ended } = await start()
  const began = startTimeOf(pid) ?? 0
  expect(endOrphan(pid, began - 1)).toBe(false)
  expect(startTimeOf(pid)).toBe(began)
  expect(startTimeOf(below)).toBeGreaterThanOrEqual(began)
  expect(endOrphan(pid, began)).toBe(true)
  await ended
})
