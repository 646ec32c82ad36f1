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
import { eventually } from '../../support/eventually.ts'

/** A log over a disk that can become full. */
const withDisk = () => {
  let isFull = false
  const wrapLog = (log: Log): Log => ({
    ...log,
    append: (id, events) =>
      isFull
        ? Promise.reject(new LogFault('write_failed', 'The disk is full.'))
        : log.append(id, events),
  })
  return {
    wrapLog,
    fill(now: boolean) {
      isFull = now
    },
  }
}

describe('when a write fails', () => {
  /** A session in the middle of a run, whose disk becomes full. */
  const failing = async (recoversAtOnce: boolean) => {
    const disk = withDisk()
    const failures: unknown[] = []
    const published: StampedEvent[] = []
    const opened = await openDemoSessions({
      directory: dataDirectory(),
      wrapLog: disk.wrapLog,
      pace: 2,
      publish: (event) => published.push(event),
      onError(cause) {
        failures.push(cause)
        if (recoversAtOnce) disk.fill(false)
      },
    })
    const { record, session } = await opened.createDemoSession()
    await session.prompt('long')
    await eventually(() => expect(ofType(published, 'message_update')).not.toEqual([]))
    disk.fill(true)
    await eventually(() => expect(failures).not.toEqual([]))
    await eventually(() => expect(session.isAlive()).toBe(false))
    return { ...opened, disk, published, id: record.id, session }
  }

  test('the run is closed as soon as the disk works again, and the session continues', async () => {
    const { log, published, id, session, close } = await failing(true)
    await eventually(() => expect(ofType(published, 'agent_end')).toHaveLength(1))
    expect(ofType(published, 'error')).toMatchObject([{ code: 'log_failed' }])
    expect(await session.prompt('think')).toEqual({ outcome: 'accepted' })
    await session.idle()
    const events = await all(log.read(id, 0))
    expect(checkOrder(events)).toEqual([])
    expect(events).toEqual(published)
    expect(ofType(events, 'agent_end')).toMatchObject([
      { interrupted: true },
      { stopReason: 'stop' },
    ])
    await close()
  })

  test('prompts fail with its code until the disk works again; then the run is closed first', async () => {
    const { log, disk, published, id, session, close } = await failing(false)
    await eventually(async () =>
      expect(await session.prompt('think')).toMatchObject({ code: 'write_failed' }),
    )
    disk.fill(false)
    expect(await session.prompt('think')).toEqual({ outcome: 'accepted' })
    await session.idle()
    const events = await all(log.read(id, 0))
    expect(checkOrder(events)).toEqual([])
    expect(events).toEqual(published)
    expect(ofType(events, 'agent_end')).toMatchObject([
      { interrupted: true },
      { stopReason: 'stop' },
    ])
    await close()
  })
})

test('a run that is open in the log is closed at start, even if the record says idle', async () => {
  const log = await openMemoryLog()
  await log.sessions.create(recordOf('s', { agent: 'demo', state: 'idle' }))
  const begun: AgentEvent[] = [{ type: 'session_start', agent: 'demo' }, { type: 'agent_start' }]
  await log.append('s', begun.map(createStamp('s', () => 1)))
  await recover({ log, now: () => 2, onError: (cause) => expect.unreachable(String(cause)) })
  expect(ofType(await all(log.read('s', 0)), 'agent_end')).toMatchObject([{ interrupted: true }])
})

describe('a log that falls behind while its source does not pause', () => {
  const behind = (limits: { events: number; bytes: number }) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const failures: unknown[] = []
    const published: number[] = []
    const recorder = createRecorder({
      sessionId: 's',
      after: 0,
      now: () => 1,
      append: () => promise,
      publish: ({ seq }) => published.push(seq),
      onFailure: (cause) => failures.push(cause),
      limits,
    })
    return { recorder, failures, published, write: resolve }
  }
  const statusEvent = (text: string): AgentEvent => ({ type: 'session_update', status: text })

  test.each([
    ['by number', { events: 1000, bytes: 1e9 }, 'x'],
    ['by size', { events: 1e9, bytes: 100_000 }, 'x'.repeat(1000)],
  ])('fails with a code: %s', async (_, limits, text) => {
    const { recorder, failures, published, write } = behind(limits)
    recorder.push([statusEvent('first')])
    await new Promise((resolve) => setImmediate(resolve))
    for (let count = 0; count < 2500; count += 1) recorder.push([statusEvent(text)])
    expect(failures).toMatchObject([{ code: 'log_too_slow' }])
    write()
    await recorder.close()
    expect(published).toEqual([1]) // the batch that was being written is stored, so it is published
  })
})
