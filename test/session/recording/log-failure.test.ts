import { describe, expect, test } from 'vitest'
import { checkOrder } from '../../../src/events/order.ts'
import { createStamp } from '../../../src/events/stamp.ts'
import type { AgentEvent, StampedEvent } from '../../../src/events/types.ts'
import { type Log, LogFault, openMemoryLog } from '../../../src/log/index.ts'
import { createRecorder } from '../../../src/session/recording/recorder.ts'
import { recover } from '../../../src/session/registry/recover.ts'
import { all, session as recordOf } from '../../log/samples.ts'
import { ofType } from '../../support/decoded.ts'
import { dataDirectory, openDemoSessions } from '../../support/demo-sessions.ts'
import { patiently } from '../../support/patiently.ts'

/** A log over a disk that can be full. */
const withDisk = () => {
  let isFull = false
  const seen = (log: Log): Log => ({
    ...log,
    append: (id, events) =>
      isFull
        ? Promise.reject(new LogFault('write_failed', 'The disk is full.'))
        : log.append(id, events),
  })
  return {
    seen,
    fill(now: boolean) {
      isFull = now
    },
  }
}

describe('a write that fails', () => {
  /** A session in the middle of a run, whose disk becomes full. */
  const failing = async (isWellAtOnce: boolean) => {
    const disk = withDisk()
    const failures: unknown[] = []
    const told: StampedEvent[] = []
    const opened = await openDemoSessions({
      directory: dataDirectory(),
      seen: disk.seen,
      pace: 2,
      publish: (event) => told.push(event),
      onError(cause) {
        failures.push(cause)
        if (isWellAtOnce) disk.fill(false)
      },
    })
    const { record, session } = await opened.begin()
    await session.prompt('long')
    await patiently(() => expect(ofType(told, 'message_update')).not.toEqual([]))
    disk.fill(true)
    await patiently(() => expect(failures).not.toEqual([]))
    await patiently(() => expect(session.isAlive()).toBe(false))
    return { ...opened, disk, told, id: record.id, session }
  }

  test('closes the run when the disk is well again; the session goes on', async () => {
    const { log, told, id, session, close } = await failing(true)
    await patiently(() => expect(ofType(told, 'agent_end')).toHaveLength(1))
    expect(ofType(told, 'error')).toMatchObject([{ code: 'log_failed' }])
    expect(await session.prompt('think')).toEqual({ outcome: 'accepted' })
    await session.idle()
    const events = await all(log.read(id, 0))
    expect(checkOrder(events)).toEqual([])
    expect(events).toEqual(told)
    expect(ofType(events, 'agent_end')).toMatchObject([
      { interrupted: true },
      { stopReason: 'stop' },
    ])
    await close()
  })

  test('as long as it lasts, prompts fail with its name; then the run is closed first', async () => {
    const { log, disk, told, id, session, close } = await failing(false)
    await patiently(async () =>
      expect(await session.prompt('think')).toMatchObject({ code: 'write_failed' }),
    )
    disk.fill(false)
    expect(await session.prompt('think')).toEqual({ outcome: 'accepted' })
    await session.idle()
    const events = await all(log.read(id, 0))
    expect(checkOrder(events)).toEqual([])
    expect(events).toEqual(told)
    expect(ofType(events, 'agent_end')).toMatchObject([
      { interrupted: true },
      { stopReason: 'stop' },
    ])
    await close()
  })
})

test('a run that is open in the log is closed at start, whatever the record says', async () => {
  const log = await openMemoryLog()
  await log.sessions.create(recordOf('s', { agent: 'demo', state: 'idle' }))
  const begun: AgentEvent[] = [{ type: 'session_start', agent: 'demo' }, { type: 'agent_start' }]
  await log.append('s', begun.map(createStamp('s', () => 1)))
  await recover({ log, now: () => 2, onError: (cause) => expect.unreachable(String(cause)) })
  expect(ofType(await all(log.read('s', 0)), 'agent_end')).toMatchObject([{ interrupted: true }])
})

describe('a log that falls behind', () => {
  const behind = (limits: { events: number; bytes: number }) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const failures: unknown[] = []
    const told: number[] = []
    const recorder = createRecorder({
      sessionId: 's',
      after: 0,
      now: () => 1,
      append: () => promise,
      publish: ({ seq }) => told.push(seq),
      onFailure: (cause) => failures.push(cause),
      limits,
    })
    return { recorder, failures, told, write: resolve }
  }
  const said = (text: string): AgentEvent => ({ type: 'session_update', status: text })

  test.each([
    ['by number', { events: 1000, bytes: 1e9 }, 'x'],
    ['by size', { events: 1e9, bytes: 100_000 }, 'x'.repeat(1000)],
  ])('has failed, by a name: %s', async (_, limits, text) => {
    const { recorder, failures, told, write } = behind(limits)
    recorder.push([said('first')])
    await new Promise((resolve) => setImmediate(resolve))
    for (let count = 0; count < 2000; count += 1) recorder.push([said(text)])
    expect(failures).toMatchObject([{ code: 'log_too_slow' }])
    write()
    await recorder.close()
    expect(told).toEqual([1]) // what was being written is kept, so it is told
  })
})
