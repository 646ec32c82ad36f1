import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createServerDirectories,
  type ServerDirectories,
  startServerProcess,
} from '../../support/server-process.ts'
import { sluice } from '../../support/sluice.ts'

let directories: ServerDirectories
beforeEach(() => {
  directories = createServerDirectories()
})
afterEach(() => directories.remove())

test('a run finds its server again after a crash, on another port, and reports how it ended', async () => {
  const first = await startServerProcess(directories)
  let second: Promise<Awaited<ReturnType<typeof startServerProcess>>> | undefined
  const { code, stdout, stderr } = await sluice(
    ['run', 'demo', 'tool', '--data', directories.data],
    {
      cwd: directories.projects,
      onStdout(_, soFar) {
        if (second || !soFar.includes('Waiting for approval')) return
        second = first.stop('SIGKILL').then(() => startServerProcess(directories))
      },
    },
  )
  await (await second)?.stop()
  expect(stderr).toContain('The connection to the server is lost. Trying again…\n')
  expect(stderr).toContain('Connected again.\n')
  expect(stdout).toContain('✗')
  expect(code).toBe(1)
})
