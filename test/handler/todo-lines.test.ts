import { expect, test } from 'vitest'
import { prettyHandler } from '../../src/cli/pretty-handler.ts'
import type { TodoItem } from '../../src/events/types.ts'
import { dispatch } from '../../src/handler/dispatch.ts'

/** Prints lists one after the other, as `run` and `chat` do. */
const printed = (...lists: TodoItem[][]): string => {
  let text = ''
  const handler = prettyHandler({ colour: () => false }, (piece) => {
    text += piece
  })
  for (const todos of lists) dispatch({ type: 'session_update', todos }, handler)
  return text
}
const dig: TodoItem = { text: 'Dig a hole', activity: 'Digging a hole', state: 'in_progress' }
const fill: TodoItem = { text: 'Fill it\nwith\x1b[8m water', state: 'pending' }

test('a to-do list says how much is done, and lists what is left', () => {
  const left: TodoItem = { text: 'Ask', state: 'cancelled' }
  const done: TodoItem = { ...dig, state: 'completed' }
  expect(printed([{ text: 'Plan', state: 'completed' }, dig, fill, left])).toBe(
    '☰ To do · 1 of 3 done\n  ▸ Digging a hole\n  ○ Fill it with water\n',
  )
  expect(printed([done])).toBe('☰ To do · 1 of 1 done\n')
})

test('a list that has not changed is not repeated, and one that was cleared is empty', () => {
  expect(printed([], [dig], [dig], [])).toBe(
    '☰ To do · 0 of 1 done\n  ▸ Digging a hole\n☰ The to-do list is empty.\n',
  )
})

test('a long list is cut', () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ ...fill, text: `Step ${index}` }))
  expect(printed(many).split('\n').slice(-4)).toEqual([
    '  ○ Step 6',
    '  ○ Step 7',
    '    … 22 more',
    '',
  ])
})
