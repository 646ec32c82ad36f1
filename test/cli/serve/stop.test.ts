import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'
import { root } from '../../support/sluice.ts'

let directories: ServerDirectories
let server: ServerProcess
beforeEach(() => {
  directories = createServerDirectories()
})
afterEach(async () => {
  if (server.child.exitCode === null) server.child.kill('SIGKILL')
  await server.exited
  directories.remove()
})

/** Starts a server with a module that does something bad to it. */
const startWith = async (module: string): Promise<void> => {
  const preload = `--import=${join(root, 'test/support', module)}`
  const env = { ...process.env, NODE_OPTIONS: preload }
  server = await startServerProcess(directories, { env, args: ['--sandbox', 'off'] })
}

/** Starts a run that waits for an approval. */
const startRun = async (): Promise<void> => {
  const { projects, sessions } = server.client
  const project = await projects.create({ name: 'P', path: directories.projects })
  const { id } = await sessions.create({ projectId: project.id, agent: 'demo' })
  await sessions.prompt(id, 'approve')
}

test('a disk that hangs does not keep the server from exiting', async () => {
  await startWith('hang-on-signal.js')
  await startRun()
  server.child.kill('SIGUSR2')
  await server.waitForStderr('the disk hangs')
  // Not 0: what the agent did last is not stored.
  expect(await server.stop()).not.toBe(0)
  expect(server.output.stderr).toMatch(/did not stop within 9 seconds\. \S+ .*\./)
})

test('a second signal ends a server at once, also on a disk that hangs', async () => {
  await startWith('hang-on-signal.js')
  await startRun()
  server.child.kill('SIGUSR2')
  await server.waitForStderr('the disk hangs')
  server.child.kill('SIGTERM')
  await server.waitForStderr('press Ctrl-C again')
  expect(await server.stop('SIGTERM')).not.toBe(0)
  expect(server.output.stderr).not.toContain('did not stop')
})

test('an agent that requests two approvals with the same id leaves nothing open', async () => {
  const agent = join(directories.projects, 'agent')
  const script = join(root, 'test/support/asking-agent.js')
  writeFileSync(agent, `#!/bin/sh\nexec '${process.execPath}' '${script}'\n`, { mode: 0o755 })
  const env = { ...process.env, CLAUDE_BIN: agent }
  const args = ['--sandbox', 'off', '--approval-timeout', '10m']
  server = await startServerProcess(directories, { env, args })
  const { approvals, projects, sessions } = server.client
  const project = await projects.create({ name: 'P', path: directories.projects })
  const { id } = await sessions.create({ projectId: project.id, agent: 'claude' })
  const call = (command: string) => ({ name: 'Bash', input: { command }, requestId: 'same' })
  await sessions.prompt(id, JSON.stringify({ calls: [call('first'), call('second')] }))
  await eventually(async () =>
    expect(await approvals.list()).toMatchObject([{ args: { command: 'second' } }]),
  )
  expect(await server.stop()).toBe(0)
  expect(server.output.stderr).not.toContain('still open')
})

test('something that was left open does not keep the server from exiting', async () => {
  await startWith('stay-alive.js')
  expect(await server.stop()).toBe(0)
  expect(server.output.stderr).toContain('something is still open: ')
  expect(server.output.stderr).toContain('Timeout')
})
