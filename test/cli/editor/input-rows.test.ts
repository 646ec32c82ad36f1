import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type EditBuffer,
  edited,
  emptyBuffer,
  inserted,
} from '../../../src/cli/editor/edit-buffer.ts'
import { createInputRows } from '../../../src/cli/editor/input-rows.ts'
import type { EditorKey } from '../../../src/cli/editor/keys.ts'
import { createSmallScreen } from '../../support/small-screen.ts'

const keys: EditorKey[] = [
  ...(['left', 'right', 'home', 'end', 'word-left', 'backspace', 'delete'] as const),
  ...(['kill-to-start', 'kill-to-end', 'kill-word-left'] as const),
]
const texts = [
  'a',
  'some words ',
  'é',
  '日本語',
  '👩‍👩‍👧',
  '🇨🇭',
  'e\u0301',
  '\n',
  '\t',
  '\u202e',
  'x'.repeat(50),
]
const step = fc.oneof(
  fc.record({ text: fc.constantFrom(...texts) }),
  fc.record({ key: fc.constantFrom(...keys) }),
  fc.record({ choices: fc.constantFrom([], ['@one', '@two'], ['@日本語/', '@x', '@y', '@z']) }),
)

/** An input on a screen that can be changed from outside. */
const inputOn = (columns: number, rows: number) => {
  const view = { ...emptyBuffer, label: '› ', choices: [] as readonly string[] }
  const size = { columns, rows }
  const input = createInputRows(
    () => view,
    () => size,
    () => false,
  )
  const change = (buffer: EditBuffer): void => void Object.assign(view, buffer)
  return { view, size, input, change }
}

test('what is changed on the screen looks like what is drawn at once', () => {
  const property = fc.property(
    fc.integer({ min: 12, max: 60 }),
    fc.integer({ min: 4, max: 30 }),
    fc.array(step, { maxLength: 40 }),
    (columns, rows, steps) => {
      const { view, input, change } = inputOn(columns, rows)
      const screen = createSmallScreen(columns)
      screen.write(input.draw())
      for (const each of steps) {
        view.choices = 'choices' in each ? each.choices : []
        if ('text' in each) change(inserted(view, each.text))
        if ('key' in each) change(edited(view, each.key) ?? view)
        screen.write(input.update())
        const fresh = createSmallScreen(columns)
        fresh.write(
          createInputRows(
            () => view,
            () => ({ columns, rows }),
            () => false,
          ).draw(),
        )
        expect(screen.shown()).toEqual(fresh.shown())
      }
      screen.write(input.erase())
      expect(screen.shown()).toEqual({ rows: [''], row: 0, column: 0 })
    },
  )
  fc.assert(property, { numRuns: 150 })
})

test('a text that was sent stays on the screen, and the cursor is below it', () => {
  const { input, change } = inputOn(20, 10)
  const screen = createSmallScreen(20)
  screen.write(input.draw())
  change({ text: 'one\ntwo', cursor: 1 })
  screen.write(input.update())
  screen.write(input.final())
  expect(screen.shown()).toEqual({ rows: ['› one', '  two', ''], row: 2, column: 0 })
})

test('of a text that is longer than the screen, the rows around the cursor are shown', () => {
  const { input, change } = inputOn(20, 6)
  const screen = createSmallScreen(20)
  const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n')
  change({ text, cursor: text.length })
  screen.write(input.draw())
  expect(screen.shown().rows).toEqual([
    '  line 95',
    '  line 96',
    '  line 97',
    '  line 98',
    '  line 99',
  ])
  change({ text, cursor: 0 })
  screen.write(input.update())
  expect(screen.shown()).toMatchObject({ row: 0, column: 2 })
  expect(screen.shown().rows[0]).toBe('› line 0')
  screen.write(input.final())
  expect(screen.shown().rows.at(-2)).toBe('  … 80 more rows')
})

test('in a window that became narrower, rows that the terminal has broken are erased, too', () => {
  const { input, size, change } = inputOn(40, 10)
  change({ text: 'x'.repeat(70), cursor: 70 })
  input.draw()
  // The terminal breaks the first row of 39 columns into two rows of 20 and 19.
  size.columns = 20
  expect(input.update().startsWith('\x1b[3A\r\x1b[J› ')).toBe(true)
})
