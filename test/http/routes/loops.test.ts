import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Project } from '../../../src/api/types.ts'
import { createClient } from '../../../src/client/client.ts'
import type { LoopInfo } from '../../../src/events/types.ts'
import { eventually } from '../../support/eventually.ts'
import { startLocalServer } from '../../support/local-server.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'
import { sluice } from '../../support/sluice.ts'

let directories: ServerDirectories
let server: ServerProcess
let project: Project

const start = () =>
  startServerProcess(directories, {
    args: ['--approve', 'allow'],
    env: { ...process.env, SLUICE_DEMO_PACE: '5' },
  })

beforeAll(async () => {
  directories = createServerDirectories()
  server = await start()
  project = await server.client.projects.create({ name: 'P', path: directories.projects })
})
afterAll(async () => {
  await server.stop()
  directories.remove()
})

const slow = () => ({ projectId: project.id, agent: 'demo', prompt: 'long' })
const until = (id: string, expected: object): Promise<LoopInfo> =>
  eventually(async () => {
    const loop = await server.client.loops.get(id)
    expect(loop).toMatchObject(expected)
    return loop
  })

test('a loop is created, changed, paused, resumed and stopped', async () => {
  const { loops, sessions } = server.client
  const created = await loops.create({ ...slow(), name: 'Nightly', limits: { maxCostUsd: 5 } })
  expect(created).toMatchObject({
    ...{ name: 'Nightly', promise: 'LOOP_COMPLETE', state: 'running', cwd: directories.projects },
    limits: { maxCostUsd: 5, maxIterations: 100, maxFailures: 5, maxStale: 3 },
  })
  const { id } = created
  expect(Object.keys(created)).not.toContain('by')
  const running = await until(id, { iterationCount: 1 })
  expect(await sessions.get(running.iterations[0]?.sessionId ?? '')).toMatchObject({
    ...{ loopId: id, iteration: 1, name: 'Nightly #1', projectId: project.id },
  })
  expect(await loops.update(id, { limits: { maxIterations: 7 } })).toMatchObject({
    limits: { maxCostUsd: 5, maxIterations: 7 },
  })
  expect(await loops.pause(id, { abort: true })).toMatchObject({ state: 'paused' })
  expect(await loops.resume(id)).toMatchObject({ state: 'running' })
  expect(await loops.stop(id)).toMatchObject({ state: 'done', end: { reason: 'stopped' } })
  expect((await loops.list()).map((each) => each.id)).toContain(id)
})

test('what cannot run is refused', async () => {
  const { loops } = server.client
  const create = (more: object) => loops.create({ ...slow(), ...more })
  await expect(create({ promptFile: 'PROMPT.md' })).rejects.toMatchObject({ status: 422 })
  const file = { prompt: undefined }
  for (const promptFile of ['../data/sluice.db', '/etc/passwd', 'missing.md'])
    await expect(create({ ...file, promptFile })).rejects.toMatchObject({ status: 422 })
  symlinkSync('/etc/passwd', join(directories.projects, 'link.md'))
  await expect(create({ ...file, promptFile: 'link.md' })).rejects.toMatchObject({
    detail: expect.stringContaining('leads out of the directory'),
  })
  await expect(create({ schedule: { cron: 'no' } })).rejects.toMatchObject({ status: 422 })
  await expect(create({ agent: 'none' })).rejects.toMatchObject({ code: 'agent_not_installed' })
  await expect(create({ agent: 'text' })).rejects.toMatchObject({ code: 'not_supported' })
  await expect(loops.get('nothing')).rejects.toMatchObject({ code: 'unknown_loop' })
  expect(await loops.list()).toHaveLength(1)
})

test('a loop of a key that was revoked is paused', async () => {
  const { keys } = server.client
  const { key, id: keyId } = await keys.create({ name: 'CI', scopes: ['read', 'prompt'] })
  const own = createClient({ url: server.url, token: key })
  const { id } = await own.loops.create({ ...slow(), prompt: 'think', limits: { maxStale: 99 } })
  await until(id, { iterationCount: 2 })
  await keys.revoke(keyId)
  await until(id, { state: 'paused', pauseReason: expect.stringContaining('revoked') })
})

test('`sluice loop` starts it on the server, and a killed server resumes it', async () => {
  mkdirSync(join(directories.projects, 'app'))
  writeFileSync(join(directories.projects, 'app', 'PROMPT.md'), 'long')
  const started = await sluice(
    ['loop', 'demo', '--prompt-file', 'PROMPT.md', '--detach', '--data', directories.data],
    { cwd: join(directories.projects, 'app') },
  )
  expect(started).toMatchObject({ code: 0, stdout: expect.stringContaining('demo, PROMPT.md') })
  const [loop] = await server.client.loops.list()
  const id = loop?.id ?? ''
  await until(id, { iterationCount: 1 })
  await server.stop('SIGKILL')
  server = await start()
  const resumed = await until(id, { iterationCount: 2 })
  expect(resumed.iterations[0]).toMatchObject({ outcome: 'interrupted' })
  await server.client.loops.stop(id)
})

test('the quota of a server holds for the sessions of loops', async () => {
  const local = await startLocalServer({ limits: { sessionsPerKey: 1 } })
  try {
    const { project } = await local.createDemoSession()
    const wanted = { projectId: project.id, agent: 'demo', prompt: 'Hello' }
    const { id } = await local.client.loops.create(wanted)
    const loop = await eventually(async () => {
      const found = await local.client.loops.get(id)
      expect(found.state).toBe('paused')
      return found
    })
    expect(loop).toMatchObject({
      iterationCount: 0,
      pauseReason: expect.stringContaining('1'),
    })
  } finally {
    await local.close()
    local.remove()
  }
})
