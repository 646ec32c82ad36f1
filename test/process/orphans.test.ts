import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { killOrphan } from '../../src/process/orphans.ts'
import { startTimeOf } from '../../src/process/proc.ts'

/** Starts a process that runs until it is killed, and a child of it. */
const startWithChild = async () => {
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; wait'])
  const [line] = await once(parent.stdout, 'data')
  const { pid = 0 } = parent
  return { pid, childPid: Number(line), exited: once(parent, 'exit') }
}

test('an agent that outlived its server is killed with its child processes', async () => {
  const { pid, childPid, exited } = await startWithChild()
  expect(killOrphan(pid, startTimeOf(pid) ?? 0)).toBe(true)
  await exited
  await expect.poll(() => startTimeOf(childPid)).toBeUndefined()
})

test('another process that has the pid of the agent by now is left alone', async () => {
  const { pid, childPid, exited } = await startWithChild()
  const startedAt = startTimeOf(pid) ?? 0
  expect(killOrphan(pid, startedAt - 1)).toBe(false)
  expect(startTimeOf(pid)).toBe(startedAt)
  expect(startTimeOf(childPid)).toBeGreaterThanOrEqual(startedAt)
  expect(killOrphan(pid, startedAt)).toBe(true)
  await exited
})
