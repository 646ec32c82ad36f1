import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { processTable } from '../../src/process/process-table.ts'
import { eventually } from '../support/eventually.ts'
import { root } from '../support/sluice.ts'

/** Starts a program as npm does: through a shell, which may stay in between. */
const launch = async (env: NodeJS.ProcessEnv) => {
  const command = `'${process.execPath}' scripts/ready.js test/support/launched.js; exit`
  const npm = spawn(
    process.execPath,
    [
      '-e',
      `require('child_process').spawn('sh', ['-c', process.argv[1]], { stdio: 'inherit' })`,
      command,
    ],
    { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await once(npm.stdout, 'data')
  const pid = Number(line)
  onTestFinished(() => {
    npm.kill('SIGKILL')
    if (processTable.startTimeOf(pid) !== undefined) process.kill(pid, 'SIGKILL')
  })
  return { npm, pid }
}

test('the server of `npm start` ends when npm is killed', async () => {
  const { npm, pid } = await launch({ npm_lifecycle_event: 'start' })
  npm.kill('SIGKILL')
  await eventually(() => expect(processTable.startTimeOf(pid)).toBeUndefined())
})

test('a program that was started without npm outlives what started it', async () => {
  const { npm, pid } = await launch({ npm_lifecycle_event: undefined })
  npm.kill('SIGKILL')
  await once(npm, 'exit')
  // Longer than the time between two checks.
  const until = performance.now() + 1500
  await eventually(() => expect(performance.now()).toBeGreaterThan(until))
  expect(processTable.startTimeOf(pid)).toBeDefined()
})
