import { expect, test } from 'vitest'
import type { LoopsOptions } from '../../src/loop/runner/loops.ts'
import { loop as loopRecord, temporaryDirectory } from '../log/samples.ts'
import { eventually } from '../support/eventually.ts'
import { openLiveLoops } from '../support/live-loops.ts'

/** Loops with the demo agent. */
const openDemo = async (pace = 0, loops: Partial<LoopsOptions> = {}) => {
  const cwd = temporaryDirectory('loop')
  const env = { ...process.env, SLUICE_DEMO_PACE: String(pace) }
  const opened = await openLiveLoops({
    ...{ agent: 'demo', cwd, loops },
    sessions: { findProgram: () => process.execPath, env },
  })
  return { ...opened, wanted: { agent: 'demo', cwd, prompt: 'Hello' } }
}

test('a loop that is resumed twice at once runs once', async () => {
  const { loops, log, wanted } = await openDemo(20)
  const { id } = await loops.create(wanted)
  await loops.pause(id, { abort: true })
  const before = (await log.sessions.list()).length
  await Promise.all([loops.resume(id), loops.resume(id)])
  await eventually(async () => expect((await log.sessions.list()).length).toBeGreaterThan(before))
  expect(await loops.stop(id)).toMatchObject({ state: 'done', end: { reason: 'stopped' } })
  expect((await log.sessions.list()).length).toBe(before + 1)
})

test('a stop right after a resume ends the loop', async () => {
  const { loops, log, wanted } = await openDemo(20)
  const { id } = await loops.create(wanted)
  await loops.pause(id, { abort: true })
  const [, stopped] = await Promise.all([loops.resume(id), loops.stop(id)])
  expect(stopped).toMatchObject({ state: 'done', end: { reason: 'stopped' } })
  expect(await log.loops.get(id)).toMatchObject({ state: 'done' })
})

test('a resume while the pause is being stored is not lost', async () => {
  const { loops, log, wanted } = await openDemo(5)
  const { id } = await loops.create({ ...wanted, limits: { maxIterations: 2, maxStale: 9 } })
  await eventually(async () => expect((await loops.get(id))?.iterationCount).toBe(1))
  await loops.pause(id)
  const { promise: isPaused, resolve } = Promise.withResolvers<void>()
  const { put } = log.loops
  log.loops.put = async (record) => {
    if (record.state === 'paused') resolve()
    await put(record)
  }
  await isPaused
  await loops.resume(id)
  expect(await loops.settled(id)).toMatchObject({ state: 'done', iterationCount: 2 })
})

test('a limit that is lowered while a loop waits ends the loop at once', async () => {
  const { loops, wanted } = await openDemo()
  const { id } = await loops.create({ ...wanted, schedule: { everyMs: 3_600_000 } })
  await eventually(async () => expect((await loops.get(id))?.state).toBe('waiting'))
  await loops.change(id, { limits: { maxIterations: 1 } })
  expect(await loops.settled(id)).toMatchObject({
    end: { reason: 'max_iterations' },
    iterationCount: 1,
  })
})

test('loops that finish end their iteration, and start no other one', async () => {
  const { loops, log, wanted } = await openDemo(5)
  const { id } = await loops.create({ ...wanted, limits: { maxStale: 9 } })
  await eventually(async () => expect((await loops.get(id))?.iterationCount).toBe(1))
  await loops.finish()
  expect(await log.loops.get(id)).toMatchObject({
    state: 'running',
    iterations: [{ outcome: 'completed' }],
  })
  await loops.create(wanted)
  expect((await log.sessions.list()).length).toBe(1)
})

test('a loop whose session cannot be read does not keep others from being resumed', async () => {
  const errors: unknown[] = []
  const { loops, log, wanted } = await openDemo(0, {
    onError: (cause) => errors.push(cause),
  })
  const iterations = [{ iteration: 1, sessionId: 'damaged', startedAt: 1 }]
  const limits = { maxIterations: 1 }
  await log.loops.put(loopRecord('first', { ...wanted, limits, iterations, iterationCount: 1 }))
  await log.loops.put(loopRecord('second', { ...wanted, limits, iterationCount: 1 }))
  log.read = () => {
    throw new Error('damaged')
  }
  await loops.resumeOwn()
  expect(await loops.settled('second')).toMatchObject({ end: { reason: 'max_iterations' } })
  expect(errors).toHaveLength(1)
})
