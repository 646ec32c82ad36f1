import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LoopEndReason, LoopLimits } from '../../src/events/types.ts'
import { type PiVersion, piSetup } from '../agents/pi.ts'
import { startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { eventually } from '../support/eventually.ts'
import { openLiveLoops } from '../support/live-loops.ts'

/** Loops with the real Pi over a scripted model. */
describe('a loop with Pi', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>
  beforeEach(async () => {
    model = await startModel()
  })
  afterEach(async () => {
    await model.close()
    setup.remove()
  })

  const openPi = (version: PiVersion = '0.87') => {
    setup = piSetup(version, model.url)
    const program = agentProgram(setup)
    return openLiveLoops({
      ...{ agent: 'pi', cwd: setup.cwd, model: 'fake/fake-sonnet' },
      sessions: { env: setup.env, findProgram: () => program },
    })
  }

  // With 0.87, the test of the command line does the same.
  test('completes on the third iteration: a promise in a code block does not count', async () => {
    const { run, log } = await openPi('0.73')
    const promptFile = join(setup.cwd, 'PROMPT.md')
    writeFileSync(promptFile, 'scenario:loop please\n')
    const loop = await run({ promptFile, name: 'Three parts' })
    expect(loop).toMatchObject({
      state: 'done',
      end: { reason: 'promise' },
      iterationCount: 3,
      iterations: [{ outcome: 'completed' }, { outcome: 'completed' }, { outcome: 'promise' }],
    })
    const stored = (await log.sessions.list()).reverse()
    expect(stored.map(({ loopId, iteration, name }) => [loopId, iteration, name])).toEqual(
      [1, 2, 3].map((number) => [loop.id, number, `Three parts #${number}`]),
    )
    // Fresh each time: no conversation is continued.
    expect(new Set(stored.map(({ nativeId }) => nativeId)).size).toBe(3)
    const costs = loop.iterations.map(({ usage }) => usage?.costUsd ?? 0)
    expect(loop.usage.costUsd).toBeCloseTo(
      costs.reduce((sum, cost) => sum + cost, 0),
      10,
    )
    expect(Math.min(...costs)).toBeGreaterThan(0)
  })

  test.each<[LoopEndReason, string, LoopLimits]>([
    ['max_iterations', 'text', { maxIterations: 1 }],
    ['max_cost', 'text', { maxCostUsd: 0.0001 }],
    ['max_tokens', 'slow-tool', { maxTokens: 100 }],
    ['max_duration', 'slow', { maxDurationMs: 2500 }],
    ['max_failures', 'error', { maxFailures: 1 }],
    ['max_stale', 'text', { maxStale: 2 }],
  ])('%s ends it', async (reason, scenario, limits) => {
    const { run } = await openPi()
    const loop = await run({ prompt: `scenario:${scenario} please`, limits })
    expect(loop).toMatchObject({ state: 'done', end: { reason } })
    const count = reason === 'max_stale' ? 2 : 1
    expect(loop.iterationCount).toBe(count)
    // What is spent is checked after each model call: at most one call is too many.
    const calls = model.requests.filter(({ path }) => path.endsWith('/messages')).length
    // On a busy machine, the time can be over before Pi has started.
    if (reason === 'max_duration') expect(calls).toBeLessThanOrEqual(count)
    else expect(calls).toBe(count)
  })

  test('a budget that is used up ends it', async () => {
    const { run, sessions } = await openPi()
    await sessions.budgets.set({ scope: 'session', limits: { costUsd: 0.0001 } })
    const loop = await run({ prompt: 'scenario:slow-tool please', onExceeded: 'stop' })
    expect(loop).toMatchObject({ state: 'done', end: { reason: 'budget' }, iterationCount: 1 })
  })

  test('an agent that is silent for too long is stopped, which counts as a failure', async () => {
    const { run } = await openPi()
    const limits = { idleTimeoutMs: 1500, maxFailures: 1 }
    const loop = await run({ prompt: 'scenario:hang please', limits })
    expect(loop).toMatchObject({
      end: { reason: 'max_failures' },
      iterations: [{ outcome: 'idle_timeout', message: 'The agent did nothing for 1.5 seconds.' }],
    })
  })

  test('it continues when the rate limit is over', async () => {
    const { run, published } = await openPi()
    writeFileSync(
      join(setup.env.PI_CODING_AGENT_DIR ?? '', 'settings.json'),
      JSON.stringify({ retry: { enabled: false } }),
    )
    const loop = await run({ prompt: 'scenario:rate-limit please' })
    expect(loop).toMatchObject({
      end: { reason: 'promise' },
      failures: 0,
      iterations: [{ outcome: 'rate_limited' }, { outcome: 'promise' }],
    })
    const waiting = published.find(({ state }) => state === 'waiting')
    expect(waiting).toMatchObject({ waitsFor: 'rate_limit' })
    expect((waiting?.nextAt ?? 0) - (waiting?.updatedAt ?? 0)).toBeLessThanOrEqual(2000)
  })

  test('a person who aborts an iteration pauses the loop, and can resume it', async () => {
    const { loops, sessions, log } = await openPi()
    const { id } = await loops.create({
      ...{ agent: 'pi', cwd: setup.cwd, model: 'fake/fake-sonnet' },
      prompt: 'scenario:slow please',
    })
    const sessionId = await eventually(async () => {
      const current = (await loops.get(id))?.iterations[0]?.sessionId ?? ''
      expect(await log.head(current)).toBeGreaterThan(10)
      return current
    })
    await (await sessions.get(sessionId))?.abort()
    expect(await loops.settled(id)).toMatchObject({
      state: 'paused',
      pauseReason: 'The iteration was stopped.',
      iterations: [{ outcome: 'aborted' }],
    })
    await loops.change(id, { prompt: 'scenario:promise please' })
    await loops.resume(id)
    expect(await loops.settled(id)).toMatchObject({ end: { reason: 'promise' }, iterationCount: 2 })
  })
})
