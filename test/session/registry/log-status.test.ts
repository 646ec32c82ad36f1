import { expect, test } from 'vitest'
import { checkOrder } from '../../../src/events/order.ts'
import type { StampedEvent } from '../../../src/events/types.ts'
import type { Log, LogStatus } from '../../../src/log/index.ts'
import { all } from '../../log/samples.ts'
import { ofType } from '../../support/decoded.ts'
import { dataDirectory, openDemoSessions } from '../../support/demo-sessions.ts'
import { eventually } from '../../support/eventually.ts'

/** A log whose status the test sets. */
const withStatus = () => {
  const listeners = new Set<(status: LogStatus) => void>()
  let current: LogStatus = { state: 'ok' }
  return {
    wrapLog: (log: Log): Log => ({
      ...log,
      status: () => current,
      checkStatus: async () => current,
      onStatus(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    }),
    /** Sets the status, without telling anybody yet. */
    become(status: LogStatus) {
      current = status
    },
    tell() {
      for (const listener of listeners) listener(current)
    },
  }
}

const lowSpace: LogStatus = { state: 'low_space', reason: 'The disk is almost full.', since: 0 }

const open = async () => {
  const status = withStatus()
  const published: StampedEvent[] = []
  const opened = await openDemoSessions({
    directory: dataDirectory(),
    wrapLog: status.wrapLog,
    pace: 2,
    policy: 'ask',
    publish: (event) => published.push(event),
  })
  const { record, session } = await opened.createDemoSession()
  return { ...opened, status, published, session, id: record.id }
}

test('with little space, agents stop with the reason, work is refused, and later it goes on', async () => {
  const { status, published, session, create, log, id, close } = await open()
  await session.prompt('long')
  await eventually(() => expect(ofType(published, 'message_update')).not.toEqual([]))
  status.become(lowSpace)
  status.tell()
  status.tell() // again: the run is interrupted once
  await eventually(() => expect(ofType(published, 'agent_end')).toHaveLength(1))
  await eventually(() => expect(session.isAlive()).toBe(false))
  expect(ofType(published, 'error')).toMatchObject([
    {
      code: 'disk_full',
      message: 'The agent was stopped (since 1970-01-01T00:00:00.000Z): The disk is almost full.',
    },
  ])
  const refusal = { outcome: 'failed', code: 'disk_full', error: 'The disk is almost full.' }
  expect(await session.prompt('think')).toEqual(refusal)
  expect(await session.steer('think')).toEqual(refusal)
  expect(await session.followUp('think')).toEqual(refusal)
  await expect(session.rename('Name')).rejects.toMatchObject({ code: 'disk_full' })
  await expect(create({ agent: 'demo', cwd: '/' })).rejects.toMatchObject({
    code: 'disk_full',
  })

  status.become({ state: 'ok' })
  status.tell()
  expect(await session.prompt('think')).toMatchObject({ outcome: 'accepted' })
  await session.idle()
  const events = await all(log.read(id, 0))
  expect(checkOrder(events)).toEqual([])
  expect(ofType(events, 'agent_end').map(({ stopReason }) => stopReason)).toEqual([
    'aborted',
    'stop',
  ])
  await close()
})

test('a call cannot be allowed while nothing can be stored, but it can be denied', async () => {
  const { status, session, close } = await open()
  await session.prompt('approve')
  await eventually(() => expect(session.pendingApprovals()).toHaveLength(1))
  const [request] = session.pendingApprovals()
  status.become(lowSpace)
  expect(session.answer(request?.approvalId ?? '', { action: 'allow' })).toBe(false)
  expect(session.pendingApprovals()).toHaveLength(1)
  expect(session.answer(request?.approvalId ?? '', { action: 'deny' })).toBe(true)
  await session.idle()
  await close()
})

test('while the cluster is away agents go on, work is refused, and queued messages wait', async () => {
  const { status, published, session, create, log, id, close } = await open()
  await session.prompt('long')
  await session.followUp('think')
  await eventually(() => expect(ofType(published, 'message_update')).not.toEqual([]))
  status.become({ state: 'unreachable', reason: 'NATS is away.', since: 0 })
  status.tell()
  const refusal = { outcome: 'failed', code: 'unreachable', error: 'NATS is away.' }
  expect(await session.prompt('think')).toEqual(refusal)
  await expect(create({ agent: 'demo', cwd: '/' })).rejects.toMatchObject({ code: 'unreachable' })
  await eventually(() => expect(ofType(published, 'agent_end')).toHaveLength(1))
  expect(session.isAlive()).toBe(true)
  expect(session.isBusy()).toBe(false)

  status.become({ state: 'ok' })
  status.tell()
  await eventually(() => expect(ofType(published, 'agent_end')).toHaveLength(2))
  const events = await all(log.read(id, 0))
  expect(ofType(events, 'error')).toEqual([])
  expect(ofType(events, 'agent_end').map(({ stopReason }) => stopReason)).toEqual(['stop', 'stop'])
  await close()
})
