import { expect, test } from 'vitest'
import { createStickToEnd } from '../../web/src/session/stick-to-end.ts'

/** Like an element: its offset is limited by its height. */
const createBox = () => {
  let top = 0
  return {
    scrollHeight: 1000,
    clientHeight: 400,
    get scrollTop() {
      return top
    },
    set scrollTop(wanted: number) {
      top = Math.min(wanted, this.scrollHeight - this.clientHeight)
    },
  }
}

test('a growing list stays at its end until the reader scrolls up', () => {
  const changes: boolean[] = []
  const stickToEnd = createStickToEnd((isAtEnd) => changes.push(isAtEnd))
  const box = createBox()
  stickToEnd.onChange(box)
  box.scrollHeight = 1500
  stickToEnd.onChange(box)
  expect(box.scrollTop).toBe(1100)
  stickToEnd.onScroll(box)
  // The reader scrolls, and the list grows before the scroll event arrives.
  stickToEnd.onInput()
  box.scrollTop -= 200
  box.scrollHeight = 1800
  stickToEnd.onChange(box)
  expect(box.scrollTop).toBe(900)
  expect(changes).toEqual([false])
  stickToEnd.stick(box)
  expect(box.scrollTop).toBe(1400)
  expect(changes).toEqual([false, true])
})

test('a list that the browser moves returns to its end; one that the reader moves does not', () => {
  const changes: boolean[] = []
  let now = 0
  const stickToEnd = createStickToEnd(
    (isAtEnd) => changes.push(isAtEnd),
    () => now,
  )
  const box = createBox()
  stickToEnd.onChange(box)
  // Rows above turn out to be lower than their estimate.
  box.scrollHeight = 1200
  box.scrollTop = 500
  stickToEnd.onScroll(box)
  expect(box.scrollTop).toBe(800)
  box.scrollTop = 600
  stickToEnd.onScroll(box)
  expect(box.scrollTop).toBe(800)
  expect(changes).toEqual([])
  // The list has not changed its size for a while, so only the reader can have moved it.
  now += 1000
  box.scrollTop = 600
  stickToEnd.onScroll(box)
  expect(box.scrollTop).toBe(600)
  expect(changes).toEqual([false])
})
