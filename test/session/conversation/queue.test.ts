import { expect, test } from 'vitest'
import { createQueue } from '../../../src/session/conversation/queue.ts'

const open = () => {
  const updates: unknown[] = []
  const queue = createQueue({
    emit(event) {
      if (event.type !== 'queue_update') return
      const { steering, followUp } = event.queued
      updates.push({ steering, followUp })
    },
    authorOf: (id) => (id === 'mine' ? 'Ada' : undefined),
  })
  return { ...queue, updates }
}

test('emits every change, and drops what the agent accepted', () => {
  const { steer, followUp, accepted, next, updates, size } = open()
  steer({ id: '1', text: 'left' })
  followUp({ id: '2', text: 'then' })
  expect(accepted('1')).toBe(false)
  expect(next()).toEqual({ id: '2', text: 'then' })
  expect(updates).toEqual([
    { steering: ['left'], followUp: [] },
    { steering: ['left'], followUp: ['then'] },
    { steering: [], followUp: ['then'] },
    { steering: [], followUp: [] },
  ])
  expect(size()).toBe(0)
})

test('ignores messages that are not queued', () => {
  const { accepted, next, updates } = open()
  expect(accepted('nobody')).toBe(false)
  expect(next()).toBeUndefined()
  expect(updates).toEqual([])
})

test('puts sent messages in front of the follow-ups, and reports one that is accepted anyway', () => {
  const { steer, followUp, requeueSent, accepted, next, updates } = open()
  followUp({ id: '1', text: 'then' })
  steer({ id: '2', text: 'left' })
  steer({ id: '3', text: 'right' })
  requeueSent()
  expect(updates.at(-1)).toEqual({ steering: [], followUp: ['left', 'right', 'then'] })
  expect(next()).toMatchObject({ id: '2' })
  expect([accepted('2'), accepted('3')]).toEqual([false, true])
})

test('drops what the agent held or had been sent when the agent ends; follow-ups stay', () => {
  const { steer, followUp, heldByAgent, dropSent, next, updates } = open()
  expect(dropSent()).toBe(0)
  expect(updates).toEqual([])
  steer({ id: '1', text: 'left' })
  followUp({ id: '2', text: 'then' })
  heldByAgent({ steering: [], followUp: ['held'] })
  expect(dropSent()).toBe(2)
  expect(updates.slice(-2)).toEqual([
    { steering: ['left'], followUp: ['held', 'then'] },
    { steering: [], followUp: ['then'] },
  ])
  expect(dropSent()).toBe(0)
  expect(next()).toMatchObject({ id: '2' })
})

test('is full at 100 messages, including those that the agent holds', () => {
  const { steer, followUp, heldByAgent, isFull, next } = open()
  heldByAgent({ steering: ['held'], followUp: [] })
  steer({ id: 's', text: 'left' })
  for (let id = 1; id <= 97; id += 1) followUp({ id: String(id), text: 'then' })
  expect(isFull()).toBe(false)
  followUp({ id: '98', text: 'then' })
  expect(isFull()).toBe(true)
  next()
  expect(isFull()).toBe(false)
})

test('starts with the messages that were stored, and takes back one that could not be sent', () => {
  const updates: unknown[] = []
  const stored = [
    { id: '1', text: 'first' },
    { id: '2', text: 'second' },
  ]
  const queue = createQueue({ emit: (event) => void updates.push(event), stored })
  expect(queue.size()).toBe(2)
  const first = queue.next()
  expect(first).toEqual({ id: '1', text: 'first' })
  if (first) queue.putBack(first)
  expect(updates.at(-1)).toEqual({
    type: 'queue_update',
    queued: {
      steering: [],
      followUp: ['first', 'second'],
      items: stored.map((each) => ({ ...each, kind: 'follow_up', state: 'waiting' })),
    },
  })
})

test('items have the ids, the authors and the state of the messages', () => {
  const { steer, followUp, expectHeld, heldByAgent, items } = open()
  followUp({ id: 'mine', text: 'then', images: [{ data: 'aGk=', mimeType: 'image/png' }] })
  steer({ id: '2', text: 'left' })
  expectHeld({ id: '3', text: 'held' })
  heldByAgent({ steering: ['held', 'by an extension'], followUp: [] })
  expect(items()).toEqual([
    { id: '3', kind: 'steer', text: 'held', state: 'sent' },
    { kind: 'steer', text: 'by an extension', state: 'sent' },
    { id: '2', kind: 'steer', text: 'left', state: 'sent' },
    { id: 'mine', kind: 'follow_up', text: 'then', state: 'waiting', images: 1, by: 'Ada' },
  ])
})

test('a message that the agent has read is not recognised in its queue again', () => {
  const { expectHeld, heldByAgent, items } = open()
  expectHeld({ id: '1', text: 'same' })
  heldByAgent({ steering: ['same'], followUp: [] })
  heldByAgent({ steering: [], followUp: [] })
  heldByAgent({ steering: ['same'], followUp: [] })
  expect(items()).toEqual([{ kind: 'steer', text: 'same', state: 'sent' }])
})

test('follow-ups can be edited, removed and moved to the front', () => {
  const { followUp, edit, remove, moveToFront, isWaiting, next, updates } = open()
  for (const id of ['1', '2', '3']) followUp({ id, text: `message ${id}` })
  edit('2', 'changed')
  expect(remove('1')).toMatchObject({ text: 'message 1' })
  expect(remove('1')).toBeUndefined()
  expect([isWaiting('1'), isWaiting('3')]).toEqual([false, true])
  moveToFront('3')
  expect(updates.at(-1)).toEqual({ steering: [], followUp: ['message 3', 'changed'] })
  expect(next()).toMatchObject({ id: '3' })
})
