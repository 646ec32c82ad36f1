import { expect, test } from 'vitest'
import type { EventOf, StampedEvent } from '../../../src/events/types.ts'
import { openMemoryLog } from '../../../src/log/index.ts'
import { createReceipts } from '../../../src/session/conversation/receipts.ts'
import { session } from '../../log/samples.ts'

const by = { kind: 'key', id: 'k', name: 'ci' } as const
const once = { key: 'a'.repeat(64), hash: 'b'.repeat(64), seq: 3 }

const open = async ({ hasOwnIds = true } = {}) => {
  const log = await openMemoryLog()
  await log.sessions.create(session('s'))
  const receipts = createReceipts({
    sessionId: 's',
    store: log.commands,
    now: () => 10,
    lastSeq: () => 5,
    hasOwnIds,
    onError: (cause) => expect.unreachable(String(cause)),
  })
  const ids = async () => (await log.commands.list('s')).map(({ id }) => id)
  return { log, receipts, ids }
}

const echo = (messageId: string, text: string): EventOf<'message_end'> => ({
  type: 'message_end',
  messageId,
  message: { role: 'user', content: [{ type: 'text', text }] },
})
const stamped = (
  event: EventOf<'message_end' | 'message_delivery' | 'agent_end'>,
): StampedEvent => ({
  ...event,
  sessionId: 's',
  seq: 6,
  timestamp: 1,
})

test('a message is stored until its own event is durable and its sender has the result', async () => {
  const { log, receipts, ids } = await open()
  await receipts.add({ id: 'c1', text: 'hi' }, { kind: 'prompt', state: 'sent', by, once })
  expect(await log.commands.list('s')).toMatchObject([{ by, seq: 3, createdAt: 10, text: 'hi' }])
  const shown = receipts.withCommand(echo('m1', 'hi'))
  expect(shown).toMatchObject({ commandId: 'c1', message: { by: 'ci' } })
  receipts.stored(stamped(shown))
  expect(await ids()).toEqual(['c1'])
  receipts.answered('c1')
  expect(await ids()).toEqual([])
  expect(await log.commands.receipt(once.key)).toMatchObject({ state: 'accepted', seq: 3 })
})

test('each of two messages with the same text gets one event', async () => {
  const { receipts } = await open()
  for (const id of ['c1', 'c2'])
    await receipts.add({ id, text: 'hi' }, { kind: 'steer', state: 'sent' })
  const events = ['m1', 'm2', 'm3'].map((id) => receipts.withCommand(echo(id, 'hi')))
  expect(events.map(({ commandId }) => commandId)).toEqual(['c1', 'c2', undefined])
})

test('a command whose text the agent has expanded is the one that waits for its event', async () => {
  for (const [hasOwnIds, commandId] of [
    [true, 'c1'],
    [false, undefined],
  ] as const) {
    const { receipts } = await open({ hasOwnIds })
    await receipts.add({ id: 'c1', text: '/fix' }, { kind: 'steer', state: 'sent' })
    expect(receipts.withCommand(echo('m1', 'Fix it please')).commandId).toBe(commandId)
  }
})

test('what the agent did not confirm is taken once, and its receipt says so', async () => {
  const { log, receipts } = await open()
  await receipts.add({ id: 'c1', text: 'one' }, { kind: 'prompt', state: 'sent', by, once })
  await receipts.add({ id: 'c2', text: 'two' }, { kind: 'follow_up', state: 'queued' })
  await receipts.add({ id: 'c3', text: 'on its way' }, { kind: 'steer', state: 'sent' })
  receipts.answered('c1')
  receipts.answered('c2')
  expect(receipts.takeUnconfirmed()).toEqual([{ id: 'c1', text: 'one', by: 'ci' }])
  expect(receipts.takeUnconfirmed()).toEqual([])
  receipts.stored(stamped({ ...echo('c1', 'one'), commandId: 'c1' }))
  expect(await log.commands.receipt(once.key)).toMatchObject({ state: 'interrupted' })
})

test('a message that was shown at once is stored until its delivery is durable', async () => {
  for (const state of ['taken', 'failed'] as const) {
    const { log, receipts, ids } = await open()
    await receipts.add({ id: 'c1', text: 'hi' }, { kind: 'prompt', state: 'sent', by, once })
    expect(receipts.messageOf('c1')).toEqual({ id: 'c1', text: 'hi', by: 'ci' })
    receipts.shown('c1')
    receipts.answered('c1')
    receipts.stored(stamped({ ...echo('c1', 'hi'), commandId: 'c1' }))
    expect(receipts.takeUnconfirmed()).toEqual([])
    expect(await ids()).toEqual(['c1'])
    receipts.stored(stamped({ type: 'message_delivery', messageId: 'c1', commandId: 'c1', state }))
    expect(await ids()).toEqual([])
    const outcome = state === 'taken' ? 'accepted' : 'interrupted'
    expect(await log.commands.receipt(once.key)).toMatchObject({ state: outcome })
  }
})

test('an echo by id has the text that was sent, also if the agent merges several messages', async () => {
  const { receipts } = await open({ hasOwnIds: false })
  await receipts.add({ id: 'c2', text: 'two' }, { kind: 'steer', state: 'sent' })
  expect(receipts.withCommand(echo('c2', 'one two')).message).toEqual({
    role: 'user',
    content: [{ type: 'text', text: 'two' }],
    delivery: 'taken',
  })
})

test('a run that ends shows its prompt, and steering messages unless the agent still holds some', async () => {
  const { receipts, ids } = await open()
  await receipts.add({ id: 'c1', text: 'one' }, { kind: 'prompt', state: 'sent' })
  await receipts.add({ id: 'c2', text: 'two' }, { kind: 'steer', state: 'sent' })
  receipts.answered('c1')
  receipts.answered('c2')
  receipts.runEnded(true)
  receipts.stored(stamped({ type: 'agent_end' }))
  expect(await ids()).toEqual(['c2'])
  receipts.runEnded(false)
  receipts.stored(stamped({ type: 'agent_end' }))
  expect(await ids()).toEqual([])
})

test('a message that could not be stored, or was refused, leaves nothing', async () => {
  const { log, receipts, ids } = await open()
  await receipts.add({ id: 'c1', text: 'one' }, { kind: 'prompt', state: 'sent', once })
  const second = receipts.add({ id: 'c2', text: 'two' }, { kind: 'prompt', state: 'sent', once })
  await expect(second).rejects.toMatchObject({ code: 'command_exists' })
  expect(receipts.withCommand(echo('m', 'two')).commandId).toBeUndefined()
  await receipts.refused('c2')
  await receipts.refused('c1')
  expect(await ids()).toEqual([])
  expect(await log.commands.receipt(once.key)).toBeUndefined()
})

test('a message that is sent from the queue, and back, is stored as such', async () => {
  const { log, receipts } = await open()
  await receipts.add({ id: 'c1', text: 'one' }, { kind: 'follow_up', state: 'queued' })
  receipts.answered('c1')
  await receipts.sending('c1')
  expect(await log.commands.list('s')).toMatchObject([{ state: 'sent' }])
  receipts.requeued(['c1'])
  expect(await log.commands.list('s')).toMatchObject([{ state: 'queued' }])
})
