import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLoops } from '../../src/loop/runner/create-loops.ts'
import type { SessionsOptions } from '../../src/session/registry/sessions.ts'
import { loop as loopRecord, temporaryDirectory } from '../log/samples.ts'
import { eventually } from '../support/eventually.ts'
import { openLiveLoops } from '../support/live-loops.ts'

/** Loops with the demo agent. */
const openDemo = async (pace = 0, loops = {}, sessions: Partial<SessionsOptions> = {}) => {
  const cwd = temporaryDirectory('loop')
  const env = { ...process.env, SLUICE_DEMO_PACE: String(pace) }
  const opened = await openLiveLoops({
    ...{ agent: 'demo', cwd, loops },
    sessions: { findProgram: () => process.execPath, env, ...sessions },
  })
  return { ...opened, cwd, wanted: { agent: 'demo', cwd, prompt: 'Hello' } }
}

test('the prompt file is read for each iteration', async () => {
  const { run, cwd, log } = await openDemo(0, {
    refusalFor: async () => {
      count += 1
      writeFileSync(join(cwd, 'PROMPT.md'), `Prompt ${count}`)
      return undefined
    },
  })
  let count = 0
  const promptFile = join(cwd, 'PROMPT.md')
  writeFileSync(promptFile, 'Prompt 0')
  await run({ promptFile, creatorId: 'key', limits: { maxIterations: 2, maxStale: 9 } })
  const titles = (await log.sessions.list()).map(({ title }) => title)
  expect(titles.reverse()).toEqual(['Prompt 1', 'Prompt 2'])
})

test('a prompt file that becomes a link out of the directory ends the loop', async () => {
  const { loops, cwd } = await openDemo()
  const secret = join(temporaryDirectory('secret'), 'key')
  writeFileSync(secret, 'a secret')
  mkdirSync(join(cwd, 'a'))
  const link = join(cwd, 'a', 'PROMPT.md')
  symlinkSync(secret, link)
  const created = loops.create({ agent: 'demo', cwd, promptFile: link })
  await expect(created).rejects.toThrow('leads out of the directory')
  const missing = loops.create({ agent: 'demo', cwd, promptFile: join(cwd, 'none') })
  await expect(missing).rejects.toThrow('there is no such file')
})

test('a pause waits for the iteration, and a stop does not', async () => {
  const { loops, wanted } = await openDemo(5)
  const { id } = await loops.create({ ...wanted, limits: { maxStale: 99 } })
  await eventually(async () => expect((await loops.get(id))?.iterationCount).toBe(1))
  expect(await loops.pause(id)).toMatchObject({ state: 'running', pauseRequested: true })
  expect(await loops.settled(id)).toMatchObject({
    state: 'paused',
    iterations: [{ outcome: 'completed' }],
  })
  await loops.resume(id)
  await eventually(async () => expect((await loops.get(id))?.iterationCount).toBe(2))
  expect(await loops.stop(id)).toMatchObject({
    state: 'done',
    end: { reason: 'stopped' },
    iterations: [{}, { outcome: 'aborted' }],
  })
  await expect(loops.resume('nothing')).rejects.toThrow('There is no loop')
})

test('a program that ends leaves its loops to the next one', async () => {
  const { loops, log, sessions, wanted } = await openDemo(20)
  const { id } = await loops.create(wanted)
  await eventually(async () => {
    const sessionId = (await loops.get(id))?.iterations[0]?.sessionId ?? ''
    expect(await log.head(sessionId)).toBeGreaterThan(5)
  })
  await loops.close()
  expect(await log.loops.get(id)).toMatchObject({ state: 'running', runner: 'server' })
  // As after a kill -9: nothing says how the iteration ended.
  const left = await log.loops.get(id)
  if (!left) throw new Error('the loop is gone')
  const [{ outcome: _, ...first } = { iteration: 1, sessionId: '', startedAt: 0 }] = left.iterations
  await log.loops.put({ ...left, iterations: [first] })
  await log.loops.put(loopRecord('other', { runner: 'terminal' }))
  await log.loops.put(loopRecord('paused', { state: 'paused' }))
  const next = createLoops({
    ...{ log, sessions, runner: 'server', now: Date.now },
    onError: (cause) => expect.unreachable(String(cause)),
  })
  await next.resumeOwn()
  await eventually(async () => expect((await next.get(id))?.iterationCount).toBe(2))
  expect((await next.get(id))?.iterations[0]).toMatchObject({ outcome: 'interrupted' })
  expect(await next.get('other')).toMatchObject({ state: 'paused' })
  expect(await next.get('paused')).toMatchObject({ state: 'paused' })
  await next.stop(id)
})

test('a creator who may start no more sessions pauses the loop', async () => {
  const { run, log } = await openDemo(0, { refusalFor: async () => 'The key was revoked.' })
  const loop = await run({ prompt: 'Hello', creatorId: 'key' })
  expect(loop).toMatchObject({ state: 'paused', pauseReason: 'The key was revoked.' })
  expect(await log.sessions.list()).toEqual([])
})

test('a limit that is still met is named, and can be raised', async () => {
  const { run, loops } = await openDemo()
  const { id } = await run({ prompt: 'Hello', limits: { maxIterations: 1 } })
  await expect(loops.resume(id)).rejects.toThrow('Raise this limit first.')
  await loops.change(id, { limits: { maxIterations: 2 } })
  await loops.resume(id)
  expect(await loops.settled(id)).toMatchObject({ iterationCount: 2 })
})

test('a limit is removed, and the others stay', async () => {
  const { run, loops } = await openDemo()
  const { id } = await run({ prompt: 'Hello', limits: { maxIterations: 1, maxCostUsd: 2 } })
  const { limits } = await loops.change(id, { limits: { maxCostUsd: null, maxStale: 9 } })
  expect(limits).toEqual({ maxIterations: 1, maxFailures: 5, maxStale: 9 })
})

test('a schedule waits for its next time, and a pause ends the wait', async () => {
  const { loops, wanted } = await openDemo()
  const { id } = await loops.create({ ...wanted, schedule: { everyMs: 3_600_000 } })
  await eventually(async () => expect((await loops.get(id))?.state).toBe('waiting'))
  const waiting = await loops.get(id)
  expect(waiting?.nextAt).toBe((waiting?.iterations[0]?.startedAt ?? 0) + 3_600_000)
  expect(await loops.pause(id)).toMatchObject({ state: 'paused', iterationCount: 1 })
  const invalid = loops.create({ ...wanted, schedule: { cron: 'never' } })
  await expect(invalid).rejects.toThrow('not valid')
})

test('there is a limit for loops that are not done', async () => {
  const { loops, wanted } = await openDemo(0, { maxOpen: 1 })
  const { id } = await loops.create({ ...wanted, schedule: { everyMs: 3_600_000 } })
  await expect(loops.create(wanted)).rejects.toThrow('already 1 loops that are not done')
  await loops.stop(id)
  await loops.stop((await loops.create(wanted)).id)
})

test('what happens to a loop is in the audit', async () => {
  const { loops, log, wanted } = await openDemo(5)
  const by = { kind: 'key', id: 'k', name: 'CI' } as const
  const { id } = await loops.create({ ...wanted, by })
  await loops.change(id, { name: 'New', by })
  await loops.stop(id, { by })
  const actions = (await log.audit.list()).filter(({ action }) => action.startsWith('loop_'))
  expect(actions.map(({ action, by: who, detail }) => [action, who, detail]).reverse()).toEqual([
    ['loop_started', 'CI', 'demo: Hello'],
    ['loop_changed', 'CI', 'demo: New'],
    ['loop_stopped', 'CI', 'demo: New'],
  ])
})

test('the time in which an agent waits for a person does not count for the loop', async () => {
  let ahead = 0
  const now = () => Date.now() + ahead
  const { loops, sessions, wanted } = await openDemo(0, { now }, { policy: 'ask' })
  const { id } = await loops.create({
    ...{ ...wanted, prompt: 'tool' },
    limits: { maxDurationMs: 60_000, maxIterations: 1 },
  })
  const session = await eventually(async () => {
    const sessionId = (await loops.get(id))?.iterations[0]?.sessionId ?? ''
    const found = await sessions.get(sessionId)
    expect(found?.pendingApprovals()).toHaveLength(1)
    return found ?? expect.unreachable()
  })
  ahead = 3_600_000
  const [request] = session.pendingApprovals()
  session.answer(request?.approvalId ?? '', { action: 'allow' })
  const done = await loops.settled(id)
  expect(done).toMatchObject({ end: { reason: 'max_iterations' } })
  expect(done?.durationMs).toBeLessThan(60_000)
})
