import { expect, test } from 'vitest'
import { checkOrder } from '../../../src/events/order.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import {
  createLedgerCheckpoints,
  loadLedger,
} from '../../../src/session/recording/ledger-checkpoints.ts'
import { openSessions } from '../../../src/session/registry/open-sessions.ts'
import type { SessionLifecycleEvent } from '../../../src/session/registry/sessions.ts'
import { command } from '../../log/samples.ts'
import { ofType } from '../../support/decoded.ts'
import { crashedLog, firstRun, interruptedRun, recoverLog, resolved } from './crashed-log.ts'

test('readers that are there before the recovery learn that the session is idle', async () => {
  const { log, store } = await crashedLog()
  await store([...firstRun, ...interruptedRun])
  const updated: SessionLifecycleEvent[] = []
  const sessions = await openSessions({ log, onSession: (event) => updated.push(event) })
  await sessions.close()
  expect(updated).toMatchObject([{ type: 'session_updated', session: { id: 's', state: 'idle' } }])
})

test('an interrupted run and its turn are closed in order', async () => {
  const { log, store } = await crashedLog()
  await store([...firstRun, ...interruptedRun])
  const { events, published } = await recoverLog(log)
  expect(checkOrder(events)).toEqual([])
  expect(published).toEqual(events.slice(firstRun.length + interruptedRun.length))
  expect(published.map(({ type }) => type)).toEqual([
    'error',
    'approval_resolved',
    'approval_resolved',
    'message_update',
    'message_end',
    'turn_state',
    'turn_state',
    'agent_end',
  ])
  expect(ofType(published, 'turn_state').map(({ newState }) => newState)).toEqual([
    'step_finished',
    'turn_finished',
  ])
  expect(await log.sessions.get('s')).toMatchObject({ state: 'idle' })
})

test('queued messages are reported as lost, and the queue is emptied', async () => {
  const { log, store } = await crashedLog()
  const queued = { steering: ['now'], followUp: ['later'] }
  await store([...firstRun, ...interruptedRun, { type: 'queue_update', queued }])
  const { published } = await recoverLog(log)
  expect(published).toContainEqual(
    expect.objectContaining({ type: 'queue_update', queued: { steering: [], followUp: [] } }),
  )
  expect(ofType(published, 'session_update').at(-1)?.notice?.text).toBe(
    '2 queued messages were lost when the agent ended. Send them again if you still need them.',
  )
})

test('open approval requests become expired or agent_gone, in the records and in the events', async () => {
  const { log, store } = await crashedLog()
  await store([...firstRun, ...interruptedRun])
  const { events } = await recoverLog(log)
  expect(resolved(events)).toMatchObject([
    { approvalId: 'future', toolCallId: 'b', outcome: 'agent_gone' },
    { approvalId: 'past', toolCallId: 'a', outcome: 'expired' },
  ])
  expect(await log.approvals.list()).toMatchObject([
    { approvalId: 'future', status: 'agent_gone', action: 'deny' },
    { approvalId: 'past', status: 'expired', action: 'deny' },
  ])
})

test('only events after the last checkpoint are read, unless an older request is open, which is closed', async () => {
  const { log, store } = await crashedLog()
  await store([
    ...firstRun,
    { type: 'approval_request', kind: 'tool', approvalId: 'old', deadline: 500 },
  ])
  const checkpoints = createLedgerCheckpoints(log, 's', { ledger: createLedger(), now: () => 10 })
  checkpoints.take(firstRun.length + 1)
  await checkpoints.write(firstRun.length + 1)
  await store(interruptedRun)
  const { afters, events } = await recoverLog(log)
  expect(afters).toEqual([firstRun.length + 1, 0])
  expect(checkOrder(events)).toEqual([])
  expect(resolved(events).map(({ approvalId }) => approvalId)).toEqual(['future', 'old', 'past'])
})

test('a checkpoint that is ahead of the events is ignored', async () => {
  const { log, store } = await crashedLog()
  const usage = { input: 7, cost: { total: 0.5 } }
  const message = { role: 'assistant' as const, content: [], usage }
  await store([...firstRun, { type: 'message_end', messageId: 'm1', message }])
  const checkpoints = createLedgerCheckpoints(log, 's', { ledger: createLedger(), now: () => 10 })
  checkpoints.take(99)
  await checkpoints.write(99)
  expect((await loadLedger(log, 's')).totals()).toMatchObject({ input: 7, costUsd: 0.5 })
})

const by = { kind: 'key', id: 'k1', name: 'ci' } as const
const userTexts = (events: readonly AgentEvent[]) =>
  ofType(events, 'message_end').flatMap(({ message, commandId }) =>
    message.role === 'user' ? [{ content: message.content, by: message.by, commandId }] : [],
  )
const receipt = { key: 'a'.repeat(64), hash: 'b'.repeat(64) }

test('a prompt that left no event is shown with its author and an error, once', async () => {
  const { log } = await crashedLog()
  const images = [{ data: 'AAAA', mimeType: 'image/png' }]
  await log.commands.add(command('c1', 's', { by, images, receipt }))
  const { events } = await recoverLog(log)
  expect(checkOrder(events)).toEqual([])
  expect(events.map(({ type }) => type)).toEqual([
    'session_start',
    'agent_start',
    'turn_state',
    'message_start',
    'message_end',
    'error',
    'turn_state',
    'agent_end',
  ])
  expect(ofType(events, 'agent_start')).toMatchObject([{ by: 'ci' }])
  const content = [
    { type: 'text', text: 'Fix it' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ]
  expect(userTexts(events)).toEqual([{ content, by: 'ci', commandId: 'c1' }])
  expect(ofType(events, 'error')).toMatchObject([
    {
      code: 'message_interrupted',
      message:
        'Sluice exited before the agent confirmed this message. It is not sent again, because the agent may have worked on it. Send it again if you still need it.',
    },
  ])
  expect(ofType(events, 'agent_end')).toMatchObject([{ interrupted: true }])
  expect(await log.commands.receipt(receipt.key)).toMatchObject({ state: 'interrupted' })
  expect(await log.audit.list()).toMatchObject([
    { action: 'prompt', by: 'ci', actorId: 'k1', sessionId: 's', detail: 'Fix it' },
  ])
  expect((await recoverLog(log)).published).toEqual([])
})

test.each([
  ['has failed if the agent did not confirm it', [], 'failed', 'interrupted'],
  ['stays as it is if the agent took it', ['taken'], undefined, 'accepted'],
  ['is not failed twice', ['failed'], undefined, 'interrupted'],
] as const)('a prompt that the events show as sent %s', async (_, known, after, outcome) => {
  const { log, store } = await crashedLog()
  const content = [{ type: 'text' as const, text: 'Fix it' }]
  await log.commands.add(command('c1', 's', { by, receipt }))
  await store([
    { type: 'session_start', agent: 'demo' },
    { type: 'agent_start', by: 'ci' },
    { type: 'message_start', messageRole: 'user', messageId: 'c1' },
    {
      type: 'message_end',
      messageId: 'c1',
      message: { role: 'user', content, by: 'ci', delivery: 'sent' },
      commandId: 'c1',
    },
    ...known.map(
      (state): AgentEvent => ({
        type: 'message_delivery',
        messageId: 'c1',
        commandId: 'c1',
        state,
      }),
    ),
  ])
  const { events, published } = await recoverLog(log)
  expect(checkOrder(events)).toEqual([])
  expect(userTexts(published)).toEqual([])
  expect(ofType(published, 'message_delivery').map(({ state }) => state)).toEqual(
    after === undefined ? [] : [after],
  )
  expect(ofType(published, 'agent_end')).toMatchObject([{ interrupted: true }])
  expect(await log.commands.receipt(receipt.key)).toMatchObject({ state: outcome })
  expect((await recoverLog(log)).published).toEqual([])
})

test('messages that were sent during the run are shown in it, in order', async () => {
  const { log, store } = await crashedLog()
  await store([...firstRun, ...interruptedRun])
  for (const [index, text] of ['one', 'two'].entries())
    await log.commands.add(command(`c${index}`, 's', { text, kind: 'steer', by }))
  const { events, published } = await recoverLog(log)
  expect(checkOrder(events)).toEqual([])
  expect(ofType(published, 'agent_end')).toHaveLength(1)
  expect(userTexts(published).map(({ content }) => content)).toMatchObject([
    [{ text: 'one' }],
    [{ text: 'two' }],
  ])
  expect(ofType(published, 'error').map(({ code }) => code)).toEqual([
    'agent_exit',
    'message_interrupted',
  ])
})

test('a prompt that the events show is not shown again, also before a checkpoint', async () => {
  const { log, store } = await crashedLog()
  const message = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Fix it' }] }
  const echo: AgentEvent[] = [
    { type: 'message_start', messageRole: 'user', messageId: 'm' },
    { type: 'message_end', messageId: 'm', message, commandId: 'c1' },
  ]
  await store([...firstRun.slice(0, 3), ...echo, ...firstRun.slice(3)])
  const checkpoints = createLedgerCheckpoints(log, 's', { ledger: createLedger(), now: () => 10 })
  checkpoints.take(firstRun.length + 2)
  await checkpoints.write(firstRun.length + 2)
  await log.commands.add(command('c1', 's', { receipt, by }))
  await log.audit.append({
    at: 1200,
    action: 'prompt',
    by: 'ci',
    actorKind: 'key',
    actorId: 'k1',
    sessionId: 's',
    detail: 'Fix it',
  })
  const { published } = await recoverLog(log)
  expect(published).toEqual([])
  expect(await log.commands.list('s')).toEqual([])
  expect(await log.commands.receipt(receipt.key)).toMatchObject({ state: 'accepted' })
  expect(await log.audit.list()).toHaveLength(1)
})

test('queued messages stay queued, and only what no command holds is lost', async () => {
  const { log, store } = await crashedLog()
  const queued = { steering: ['now'], followUp: ['later', 'last'] }
  await store([...firstRun, ...interruptedRun, { type: 'queue_update', queued }])
  await log.commands.add(command('c1', 's', { text: 'later', kind: 'follow_up', state: 'queued' }))
  await log.commands.add(command('c2', 's', { text: 'first', kind: 'steer', state: 'queued' }))
  const { published } = await recoverLog(log)
  expect(ofType(published, 'queue_update')).toMatchObject([
    { queued: expect.objectContaining({ steering: [], followUp: ['first', 'later'] }) },
  ])
  expect(ofType(published, 'session_update').map(({ notice }) => notice?.text)).toEqual([
    '2 queued messages were lost when the agent ended. Send them again if you still need them.',
    '2 messages are still queued. They will be sent after your next prompt.',
  ])
  expect((await recoverLog(log)).published).toEqual([])
})
