import fc from 'fast-check'
import { expect, test } from 'vitest'
import { at, createList, findLast, items, push, set } from '../../src/transcript/list.ts'

const numbers = (length: number) => Array.from({ length }, (_, index) => index)

test.each([0, 1, 31, 32, 33, 1023, 1024, 1025, 33_000])('%i items keep their order', (length) => {
  const wanted = numbers(length)
  const pushed = wanted.reduce(push<number>, createList<number>())
  expect(items(pushed)).toEqual(wanted)
  expect(pushed).toEqual(createList(wanted))
  expect(at(pushed, 0)).toBe(wanted[0])
  expect(at(pushed, length - 1)).toBe(wanted.at(-1))
  expect(at(pushed, length)).toBeUndefined()
  expect(at(pushed, -1)).toBeUndefined()
})

test('a list changes like an array, and the old list stays the same', () => {
  const change = fc.tuple(fc.nat(), fc.integer())
  fc.assert(
    fc.property(fc.array(fc.integer(), { maxLength: 2000 }), fc.array(change), (start, changes) => {
      let array = start
      let list = createList(start)
      for (const [where, value] of changes) {
        const index = where % (array.length + 1)
        const before = { array, list }
        array = array.slice()
        array[index] = value
        list = set(list, index, value)
        expect(items(before.list)).toEqual(before.array)
      }
      expect(items(list)).toEqual(array)
      expect(list).toEqual(createList(array))
    }),
    { numRuns: 50 },
  )
})

test('findLast returns the index of the last match', () => {
  const list = createList(numbers(100))
  expect(findLast(list, (each) => each % 7 === 0)).toBe(98)
  expect(findLast(list, (each) => each > 100)).toBe(-1)
})

test('set throws outside the list', () => {
  expect(() => set(createList([1]), 2, 0)).toThrow(RangeError)
  expect(() => set(createList([1]), -1, 0)).toThrow(RangeError)
})
