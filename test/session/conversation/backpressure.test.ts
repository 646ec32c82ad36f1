import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { demo } from '../../../src/agents/demo/index.ts'
import { checkOrder } from '../../../src/events/order.ts'
import type { StampedEvent } from '../../../src/events/types.ts'
import { createBackpressure } from '../../../src/session/conversation/backpressure.ts'
import { createSession } from '../../../src/session/conversation/create-session.ts'
import type { SessionDeps } from '../../../src/session/conversation/session-deps.ts'
import { createRecorder } from '../../../src/session/recording/recorder.ts'
import { ofType } from '../../support/decoded.ts'
import { dataDirectory } from '../../support/demo-sessions.ts'
import { eventually } from '../../support/eventually.ts'
import { noCommandStore } from '../../support/live-session.ts'

const script = fileURLToPath(new URL('../agents/flood.js', import.meta.url))

interface FloodOptions {
  env?: NodeJS.ProcessEnv
  /** Since which version the agent can wait. */
  waitsSince?: string
  deps?: Partial<SessionDeps>
}

/** A session with an agent that prints fast, over a log that stores nothing until `release`. */
const openFlood = ({ env, waitsSince, deps }: FloodOptions = {}) => {
  const cwd = dataDirectory()
  const program = join(cwd, 'agent')
  const set = Object.entries(env ?? {}).map(([name, value]) => `${name}=${value}`)
  const command = `#!/bin/sh\nexec env ${set.join(' ')} "${process.execPath}" "${script}" "$@"\n`
  writeFileSync(program, command, { mode: 0o755 })
  const events: StampedEvent[] = []
  const failures: unknown[] = []
  const gate = Promise.withResolvers<void>()
  let isHeld = false
  const recorder = createRecorder({
    sessionId: 's',
    after: 0,
    now: Date.now,
    append: () => (isHeld ? gate.promise : Promise.resolve()),
    publish: (event) => events.push(event),
    onFailure: (cause) => failures.push(cause),
    limits: { events: 10_000, bytes: 1e9 },
  })
  const session = createSession(
    {
      agent: { ...demo, ...(waitsSince !== undefined && { waitsSince }) },
      program: () => program,
      cwd,
      id: randomUUID(),
      recorder,
      commands: noCommandStore,
      onError: (cause) => failures.push(cause),
      now: Date.now,
      onRecord() {},
      ...deps,
    },
    { head: 0 },
  )
  onTestFinished(async () => {
    gate.resolve()
    await session.stop()
  })
  return {
    ...session,
    recorder,
    events,
    failures,
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      gate.resolve()
    },
    /** How many events wait for the log. */
    waiting: () => recorder.lastSeq() - events.length,
  }
}

const linesOf = (events: readonly StampedEvent[]) =>
  ofType(events, 'session_update').flatMap(({ status }) =>
    status?.startsWith('line ') ? [status] : [],
  )

/** Checks that the events hold the first lines of the agent: each once, in order. */
const expectLines = (events: readonly StampedEvent[], count = linesOf(events).length) => {
  const lines = linesOf(events)
  expect(lines.find((line, index) => line !== `line ${index}`)).toBeUndefined()
  expect(lines).toHaveLength(count)
}

/** Starts a flood into a log that does not write, and waits until the agent is paused. */
const startPaused = async (flood: ReturnType<typeof openFlood>, prompt: string) => {
  // The process must be there before the log stops.
  expect(await flood.prompt('flood 0')).toEqual({ outcome: 'accepted' })
  await flood.idle()
  flood.hold()
  expect(await flood.prompt(prompt)).toEqual({ outcome: 'accepted' })
  await eventually(() => expect(flood.recorder.pressure()).not.toBe('low'))
}

/** Resolves when the number of waiting events has not changed for some time. */
const untilStill = async (flood: ReturnType<typeof openFlood>) => {
  let before = -1
  let since = Date.now()
  await eventually(() => {
    if (flood.waiting() !== before) since = Date.now()
    before = flood.waiting()
    expect(Date.now() - since).toBeGreaterThan(300)
  })
}

describe('an agent that prints faster than the log writes', () => {
  test('is paused with little in memory, and loses nothing', async () => {
    const flood = openFlood()
    await startPaused(flood, 'flood 50000')
    await untilStill(flood)
    // Half of the limit, and the chunk that was being read.
    expect(flood.waiting()).toBeGreaterThanOrEqual(5000)
    expect(flood.waiting()).toBeLessThan(10_000)
    flood.release()
    await flood.idle()
    await flood.recorder.settled()
    expectLines(flood.events, 50_000)
    expect(flood.failures).toEqual([])
    expect(checkOrder(flood.events)).toEqual([])
  })

  test('can be aborted while it is paused', async () => {
    const flood = openFlood({ deps: { abortMs: 60_000 } })
    await startPaused(flood, 'flood 100000000')
    const aborted = flood.abort()
    flood.release()
    await aborted
    await flood.recorder.settled()
    expect(ofType(flood.events, 'agent_end').at(-1)).toMatchObject({ stopReason: 'aborted' })
    expectLines(flood.events)
  })

  test('can be aborted while the log still hangs and the agent blocks in its output', async () => {
    const flood = openFlood({ env: { FLOOD_BLOCKS: '1' }, deps: { abortMs: 100 } })
    await startPaused(flood, 'flood 100000000')
    await flood.abort()
    expect(flood.isAlive()).toBe(false)
    flood.release()
    await flood.recorder.settled()
    expect(ofType(flood.events, 'agent_end').at(-1)).toMatchObject({ interrupted: true })
    expectLines(flood.events)
  })

  test('ends at once when its session stops', async () => {
    const flood = openFlood({ env: { FLOOD_BLOCKS: '1' } })
    await startPaused(flood, 'flood 100000000')
    const stopped = flood.stop()
    await eventually(() => expect(flood.isAlive()).toBe(false))
    flood.release()
    await stopped
    expect(ofType(flood.events, 'agent_end').at(-1)).toMatchObject({ interrupted: true })
    expectLines(flood.events)
  })

  test('can be killed while the log still hangs', async () => {
    const flood = openFlood({ env: { FLOOD_BLOCKS: '1' } })
    await startPaused(flood, 'flood 100000000')
    flood.kill()
    await eventually(() => expect(flood.isAlive()).toBe(false))
    flood.release()
    await flood.recorder.settled()
    expect(ofType(flood.events, 'agent_end').at(-1)).toMatchObject({ interrupted: true })
  })

  test('may exit while it is paused: what it has printed is stored', async () => {
    const flood = openFlood({ env: { FLOOD_BLOCKS: '1' } })
    // The rest fits into the pipe.
    await startPaused(flood, 'exit 7000')
    await eventually(() => expect(flood.isAlive()).toBe(false))
    flood.release()
    await flood.recorder.settled()
    expectLines(flood.events, 7000)
    expect(ofType(flood.events, 'error')).toMatchObject([{ code: 'agent_exit' }])
  })
})

describe('a wait for a paused agent', () => {
  const waitPaused = (ms: number) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const backpressure = createBackpressure({
      agent: demo,
      program: '/no/such/agent',
      process: { pause() {}, resume() {} },
      onTooSlow: () => expect.unreachable(),
    })
    const results: boolean[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    void backpressure.finishesWithin(promise, ms).then((inTime) => results.push(inTime))
    backpressure.setPressure('half')
    return { backpressure, results, resolve, advance: vi.advanceTimersByTimeAsync }
  }

  test('does not count the time that it is paused', async () => {
    const { backpressure, results, resolve, advance } = waitPaused(1000)
    await advance(5000)
    backpressure.setPressure('low')
    await advance(900)
    expect(results).toEqual([])
    resolve()
    await advance(0)
    expect(results).toEqual([true])
  })

  test('ends when the agent is read again and is not done', async () => {
    const { backpressure, results, advance } = waitPaused(1000)
    await advance(5000)
    backpressure.setPressure('low')
    await advance(1001)
    expect(results).toEqual([false])
  })

  test('ends even if the agent stays paused', async () => {
    const { results, advance } = waitPaused(1000)
    await advance(60_000)
    expect(results).toEqual([])
    await advance(1100)
    expect(results).toEqual([false])
  })
})

describe('an agent that cannot wait', () => {
  const options = { waitsSince: '0.84.0', env: { FLOOD_VERSION: '0.73.1', FLOOD_BLOCKS: '1' } }

  test('is read up to the limit, then stopped with the true reason; what it printed is stored', async () => {
    const flood = openFlood({ ...options, deps: { patienceMs: 100 } })
    await startPaused(flood, 'flood 100000000')
    await eventually(() => expect(flood.isAlive()).toBe(false))
    expect(flood.waiting()).toBeGreaterThanOrEqual(10_000)
    flood.release()
    await flood.recorder.settled()
    expect(ofType(flood.events, 'error')).toMatchObject([
      { code: 'log_too_slow', message: expect.stringMatching(/cannot wait/) },
    ])
    expect(ofType(flood.events, 'agent_end').at(-1)).toMatchObject({ interrupted: true })
    expectLines(flood.events)
    expect(linesOf(flood.events).length).toBeGreaterThan(9000)
    expect(flood.failures).toEqual([])
  })

  test('goes on when the log is fast enough again', async () => {
    const flood = openFlood({ ...options, deps: { patienceMs: 60_000 } })
    await startPaused(flood, 'flood 50000')
    await eventually(() => expect(flood.recorder.pressure()).toBe('full'))
    flood.release()
    await flood.idle()
    await flood.recorder.settled()
    expectLines(flood.events, 50_000)
    expect(ofType(flood.events, 'error')).toEqual([])
  })

  test.each(['0.84.0', 'unknown'])('does not include version %s', async (version) => {
    const env = { ...options.env, FLOOD_VERSION: version }
    const flood = openFlood({ ...options, env, deps: { patienceMs: 100 } })
    await startPaused(flood, 'flood 50000')
    await untilStill(flood)
    flood.release()
    await flood.idle()
    await flood.recorder.settled()
    expectLines(flood.events, 50_000)
    expect(ofType(flood.events, 'error')).toEqual([])
  })
})
