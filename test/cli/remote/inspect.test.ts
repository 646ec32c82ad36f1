import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'
import { root, sluice } from '../../support/sluice.ts'

let directories: ServerDirectories
let server: ServerProcess
beforeAll(async () => {
  directories = createServerDirectories()
  const program = join(directories.projects, 'claude')
  const script = join(root, 'test/support/task-agent.js')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${script}"\n`, { mode: 0o755 })
  server = await startServerProcess(directories, { env: { ...process.env, CLAUDE_BIN: program } })
})
afterAll(async () => {
  await server.stop()
  directories.remove()
})

const at = (...args: string[]) => sluice([...args, '--data', directories.data])

const ended = async (agent: string, name: string, prompt: string) => {
  const { client } = server
  const project = await client.projects.create({ name, path: directories.projects })
  const { id } = await client.sessions.create({ projectId: project.id, agent, name })
  await client.sessions.prompt(id, prompt)
  return id
}

test('tasks in the background are listed, and stopped by their id', async () => {
  await ended('claude', 'Roses', 'start the server')
  const running = 'bfcwo1pkw  running in the background  Dev server\n'
  await eventually(async () => expect((await at('tasks', 'roses')).stdout).toBe(running))
  expect(await at('tasks', 'roses', '--output', 'bfcwo1pkw')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('reports no output of the task bfcwo1pkw'),
  })
  expect(await at('tasks', 'roses', '--stop', 'bfcwo1pkw')).toMatchObject({
    code: 0,
    stdout: 'Stopping bfcwo1pkw.\n',
  })
  await eventually(async () =>
    expect((await at('tasks', 'roses')).stdout).toBe('bfcwo1pkw  stopped  Dev server\n'),
  )
})

test('the context and the output of a session are printed, or why there are none', async () => {
  const id = await ended('demo', 'Tulips', 'think')
  await eventually(async () => expect((await server.client.sessions.get(id)).state).toBe('idle'))
  expect((await at('context', 'tulips')).stdout).toMatch(/^[\d,]+ of [\d,]+ tokens/)
  expect(await at('output', 'tulips')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No tool has returned anything yet.'),
  })
  const report = JSON.parse((await at('context', 'tulips', '--json')).stdout)
  expect(report).toMatchObject({ sessionId: id, context: { used: expect.any(Number) } })
})

test('an output that is too large for an event is printed whole', async () => {
  const id = await ended('claude', 'Lilies', 'print much')
  await eventually(async () => expect((await server.client.sessions.get(id)).state).toBe('idle'))
  const { stdout } = await at('output', 'lilies')
  expect(stdout).toBe(`${'one line\n'.repeat(60_000)}the end\n`)
})
