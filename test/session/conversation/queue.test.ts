import { expect, test } from 'vitest'
import { createQueue } from '../../../src/session/conversation/queue.ts'

const open = () => {
  const told: unknown[] = []
  const queue = createQueue((event) => {
    if (event.type === 'queue_update') told.push(event.queued)
  })
  return { ...queue, told }
}

test('every change is told; what was delivered is gone', () => {
  const { steer, followUp, delivered, next, told, size } = open()
  steer({ id: '1', text: 'left' })
  followUp({ id: '2', text: 'then' })
  delivered('1')
  expect(next()).toEqual({ id: '2', text: 'then' })
  expect(told).toEqual([
    { steering: ['left'], followUp: [] },
    { steering: ['left'], followUp: ['then'] },
    { steering: [], followUp: ['then'] },
    { steering: [], followUp: [] },
  ])
  expect(size()).toBe(0)
})

test('what is not in the queue changes nothing', () => {
  const { delivered, next, told } = open()
  delivered('nobody')
  expect(next()).toBeUndefined()
  expect(told).toEqual([])
})

test('with the agent goes what it held or had been sent; what was to follow stays', () => {
  const { steer, followUp, heldByAgent, lost, next, told } = open()
  expect(lost()).toBe(0)
  expect(told).toEqual([])
  steer({ id: '1', text: 'left' })
  followUp({ id: '2', text: 'then' })
  heldByAgent({ steering: [], followUp: ['held'] })
  expect(lost()).toBe(2)
  expect(told.at(-1)).toEqual({ steering: [], followUp: ['then'] })
  expect(lost()).toBe(0)
  expect(next()).toMatchObject({ id: '2' })
})

test('it has an end, and what the agent holds counts', () => {
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
