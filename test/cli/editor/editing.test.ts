import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commonStart, completeInput } from '../../../src/cli/editor/complete-input.ts'
import { edited } from '../../../src/cli/editor/edit-buffer.ts'
import type { EditorKey } from '../../../src/cli/editor/keys.ts'
import { layOutText, movedByRows } from '../../../src/cli/editor/layout.ts'
import { graphemesOf, textWidth } from '../../../src/cli/text-width.ts'
import { dataDirectory } from '../../support/demo-sessions.ts'

/** A text with a bar at the cursor. */
const bufferOf = (text: string) => ({ text: text.replace('|', ''), cursor: text.indexOf('|') })
const press = (text: string, ...keys: EditorKey[]): string => {
  let buffer = bufferOf(text)
  for (const key of keys) buffer = edited(buffer, key) ?? buffer
  return `${buffer.text.slice(0, buffer.cursor)}|${buffer.text.slice(buffer.cursor)}`
}

test.each<[string, EditorKey, string]>([
  ['a👩‍👩‍👧|b', 'left', 'a|👩‍👩‍👧b'],
  ['a|👩‍👩‍👧b', 'right', 'a👩‍👩‍👧|b'],
  ['e\u0301|', 'backspace', '|'],
  ['🇨🇭|', 'backspace', '|'],
  ['日|本', 'delete', '日|'],
  ['|', 'backspace', '|'],
  ['|', 'delete', '|'],
  ['one two |', 'word-left', 'one |two '],
  ['|one two', 'word-right', 'one| two'],
  ['one two|', 'kill-word-left', 'one |'],
  ['one| two', 'kill-word-right', 'one|'],
  ['a\nbc|d', 'home', 'a\n|bcd'],
  ['a\nb|cd\ne', 'end', 'a\nbcd|\ne'],
  ['a\nbc|d', 'kill-to-start', 'a\n|d'],
  ['a\n|bcd', 'kill-to-start', 'a|bcd'],
  ['a\nb|cd\ne', 'kill-to-end', 'a\nb|\ne'],
  ['a\nb|\ne', 'kill-to-end', 'a\nb|e'],
])('%j, %s: %j', (before, key, after) => {
  expect(press(before, key)).toBe(after)
})

test('the width of a text on the screen', () => {
  const widths = {
    abc: 3,
    日本: 4,
    é: 1,
    'e\u0301': 1,
    '👩‍👩‍👧': 2,
    '❤️': 2,
    '🇨🇭': 2,
    Ｗ: 2,
    '\u200d': 0,
  }
  for (const [text, width] of Object.entries(widths))
    expect([text, textWidth(text)]).toEqual([text, width])
  expect(graphemesOf('a👩‍👩‍👧e\u0301')).toEqual(['a', '👩‍👩‍👧', 'e\u0301'])
})

describe('rows', () => {
  const rowsOf = (text: string, width: number) => {
    const { rows, cursor } = layOutText(bufferOf(text), width)
    return { rows: rows.map(({ drawn }) => drawn), at: [cursor.row, cursor.column] }
  }

  test('break at the width, and never inside a wide character', () => {
    expect(rowsOf('abcdef|', 4)).toEqual({ rows: ['abcd', 'ef'], at: [1, 2] })
    expect(rowsOf('日本|語', 5)).toEqual({ rows: ['日本', '語'], at: [1, 0] })
    expect(rowsOf('a\n\n|b', 5)).toEqual({ rows: ['a', '', 'b'], at: [2, 0] })
    expect(rowsOf('|', 5)).toEqual({ rows: [''], at: [0, 0] })
  })

  test('show what controls or hides as escapes', () => {
    expect(rowsOf('a\u202eb\tc|', 40).rows).toEqual(['a\\u202eb    c'])
  })

  test('the cursor moves up and down by columns of the screen', () => {
    const down = (text: string) => movedByRows(bufferOf(text), 6, 1)
    expect(down('a日|b\nxxxx')).toBe(7) // behind the third x
    expect(down('abcdef|\nx')).toBe(8)
    expect(down('abc|')).toBeUndefined()
    expect(movedByRows(bufferOf('abcdefgh|'), 6, -1)).toBe(2)
    expect(movedByRows(bufferOf('ab\ncd|'), 6, -1)).toBe(2)
  })

  test('ten thousand lines are laid out quickly', () => {
    const text = `${'some words in a line of a log that was pasted\n'.repeat(10_000)}|`
    const began = performance.now()
    expect(layOutText(bufferOf(text), 80).rows).toHaveLength(10_001)
    expect(performance.now() - began).toBeLessThan(1000)
  })
})

describe('completion', () => {
  const project = () => {
    const directory = dataDirectory()
    mkdirSync(join(directory, 'src/deep dir'), { recursive: true })
    for (const name of ['src/alpha.ts', 'src/alpine.ts', 'README.md', '.hidden', 'a\x1b[8mb'])
      writeFileSync(join(directory, name), '')
    return directory
  }
  const commands = ['/rules', '/rules remove ']
  const mentions = [...commands, '/review', '@agent-Scout']
  const choicesOf = async (text: string, directory: string | undefined) =>
    (await completeInput(bufferOf(text), { directory, mentions: () => mentions }))?.choices

  test('of files after @, without names that hide something', async () => {
    const directory = project()
    expect(await choicesOf('see @R|', directory)).toEqual(['@README.md'])
    expect(await choicesOf('see @s|', directory)).toEqual(['@src/'])
    expect(await choicesOf('see @read|', directory)).toEqual(['@README.md'])
    expect(await choicesOf('(@src/al|', directory)).toEqual(['@src/alpha.ts', '@src/alpine.ts'])
    expect(await choicesOf('@src/d|', directory)).toEqual(['@"src/deep dir/'])
    expect(await choicesOf('@.h|', directory)).toEqual(['@.hidden'])
    expect(await choicesOf('@nothing/x|', directory)).toEqual([])
    expect(await choicesOf('mail@src|', directory)).toBeUndefined()
    expect(await choicesOf('@src|', undefined)).toEqual([])
  })

  test('of commands at the start', async () => {
    expect(await choicesOf('/ru|', undefined)).toEqual(commands)
    expect(await choicesOf('/RE|', undefined)).toEqual(['/review'])
    expect(await choicesOf('say /ru|', undefined)).toBeUndefined()
  })

  test('of subagents anywhere, beside files', async () => {
    expect(await choicesOf('ask @|', project())).toEqual(['@agent-Scout', '@README.md', '@src/'])
    expect(await choicesOf('ask @agent-s|', undefined)).toEqual(['@agent-Scout'])
  })

  test('as far as all choices agree', () => {
    expect(commonStart(['@src/alpha.ts', '@src/alpine.ts'])).toBe('@src/alp')
    expect(commonStart([])).toBe('')
  })
})
