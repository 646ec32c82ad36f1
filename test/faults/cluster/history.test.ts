import { expect, test } from 'vitest'
import { createHistory } from './history.ts'

const value = (claim: string, number: number): string => `${claim}:${number}`

/** A history in which two writers have appended, one after the other. */
const recorded = () => {
  const history = createHistory()
  const values = [...[0, 1, 2].map((n) => value('one', n)), ...[0, 1].map((n) => value('two', n))]
  const add = (node: string, line: object) => history.add(node, JSON.stringify(line))
  for (const [index, each] of values.entries()) {
    const part = { first: index + 1, values: [each] }
    add('one', { invoke: 's', ...part })
    add('one', { done: 's', ...part, code: 'ok' })
  }
  const compare = (stored: readonly string[]) => () =>
    history.compare('s', stored, {
      seed: 1,
      count: () => {},
      note: () => {},
      defer: () => {},
      goesOn: () => false,
      random: { next: () => 0, below: () => 0, pick: ([first]) => first, oneIn: () => false },
    })
  return { history, values, add, compare }
}

test('a log with everything in order is accepted', () => {
  const { values, compare } = recorded()
  expect(compare(values)).not.toThrow()
})

test('an acknowledged event that is lost is found', () => {
  const { values, compare } = recorded()
  expect(compare(values.slice(0, 4))).toThrow('event 5 of s was two:1, and is lost')
})

test('an event that is stored twice is found', () => {
  const { values, compare } = recorded()
  expect(compare([...values, value('two', 1)])).toThrow('an event of s is stored twice')
})

test('events in another order are found', () => {
  const { values, compare } = recorded()
  expect(compare(values.with(1, value('one', 2)).with(2, value('one', 1)))).toThrow('event 2 of s')
})

test('a writer that writes again after another one is found', () => {
  const { values, add, compare } = recorded()
  add('one', { invoke: 's', first: 6, values: [value('one', 3)] })
  add('one', { done: 's', first: 6, values: [value('one', 3)], code: 'fenced' })
  expect(compare([...values, value('one', 3)])).toThrow('one wrote to s again after two')
})

test('an event that nobody appended is found', () => {
  const { values, compare } = recorded()
  expect(compare([...values, value('three', 0)])).toThrow('was never appended')
})

test('two values of one event are found, and so is an append without an outcome', () => {
  const { history, values, add, compare } = recorded()
  add('three', { invoke: 's', first: 6, values: ['three:0'] })
  expect(compare(values)).toThrow('an append has no outcome: three s')
  add('two', { seen: 's', first: 5, values: ['another:0'] })
  expect(history.check).toThrow('seen by two: event 5 of s is another:0, and was two:1')
})
