import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import {
  type LocalServer,
  readProblem,
  startLocalServer,
  waitForRunEnd,
} from '../../support/local-server.ts'
import { root } from '../../support/sluice.ts'

/** The tasks of an agent over a real port. A script prints what Claude Code prints about them. */
let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
  const program = join(server.root, 'claude')
  const script = join(root, 'test/support/task-agent.js')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${script}"\n`, { mode: 0o755 })
  vi.stubEnv('CLAUDE_BIN', program)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.close()
  server.remove()
})

test('a background task is listed after its run, and can be stopped once', async () => {
  const { client, projectDirectory: path } = server
  const project = await client.projects.create({ name: 'P', path })
  const { id } = await client.sessions.create({ projectId: project.id, agent: 'claude' })
  const tasks = async () => (await server.api(`/sessions/${id}/tasks`)).json()
  const stop = (taskId: string) =>
    server.api(`/sessions/${id}/tasks/${taskId}/stop`, { method: 'POST' })

  expect(await tasks()).toEqual({ sessionId: id, tasks: [] })
  await client.sessions.prompt(id, 'start the server')
  await waitForRunEnd(server, id)
  const task = { id: 'bfcwo1pkw', description: 'Dev server', isBackground: true }
  expect(await tasks()).toMatchObject({ sessionId: id, tasks: [{ ...task, state: 'running' }] })

  expect(await readProblem(stop('other'))).toMatchObject({ status: 404, code: 'unknown_task' })
  expect((await stop(task.id)).status).toBe(202)
  await eventually(async () =>
    expect(await tasks()).toMatchObject({ tasks: [{ ...task, state: 'stopped' }] }),
  )
  expect(await readProblem(stop(task.id))).toMatchObject({ status: 409, code: 'task_ended' })
})
