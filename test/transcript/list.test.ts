import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createList,
  findLastIndex,
  itemAt,
  listItems,
  pushItem,
  setItem,
} from '../../src/transcript/list.ts'

const numbers = (length: number) => Array.from({ length }, (_, index) => index)

test.each([0, 1, 31, 32, 33, 1023, 1024, 1025, 33_000])('%i items keep their order', (length) => {
  const wanted = numbers(length)
  const pushed = wanted.reduce(pushItem<number>, createList<number>())
  expect(listItems(pushed)).toEqual(wanted)
  expect(pushed).toEqual(createList(wanted))
  expect(itemAt(pushed, 0)).toBe(wanted[0])
  expect(itemAt(pushed, length - 1)).toBe(wanted.at(-1))
  expect(itemAt(pushed, length)).toBeUndefined()
  expect(itemAt(pushed, -1)).toBeUndefined()
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
        list = setItem(list, index, value)
        expect(listItems(before.list)).toEqual(before.array)
      }
      expect(listItems(list)).toEqual(array)
      expect(list).toEqual(createList(array))
    }),
    { numRuns: 50 },
  )
})

test('findLast returns the index of the last match', () => {
  const list = createList(numbers(100))
  expect(findLastIndex(list, (each) => each % 7 === 0)).toBe(98)
  expect(findLastIndex(list, (each) => each > 100)).toBe(-1)
})

test('set throws outside the list', () => {
  expect(() => setItem(createList([1]), 2, 0)).toThrow(RangeError)
  expect(() => setItem(createList([1]), -1, 0)).toThrow(RangeError)
})
