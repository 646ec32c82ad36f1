import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyRows, pagesOf } from '../../src/cli/chat/pages.ts'
import { requestLines } from '../../src/cli/chat/request-lines.ts'
import { createStyle } from '../../src/handler/style.ts'
import { originalOfRevealed } from '../../src/shared/revealed-text.ts'
import { harmful } from '../support/hostile.ts'

const question = (command: string, isColoured = false) => ({
  title: 'Allow bash?',
  keys: ['y yes'],
  ...requestLines({ kind: 'command', command, unshown: {} }, createStyle(isColoured)),
})

/** The command that the rows of a question show. */
const shownBy = (rows: readonly string[]): string => {
  const quoted = rows.filter((row) => /^ {2}[│┊] /.test(row))
  const lines = quoted.map((row) => (row.startsWith('  │') ? '\n' : '') + row.slice(4))
  return originalOfRevealed(lines.join('').slice(1))
}

const piece = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[\\\t]/g, '')),
  fc.constantFrom(
    '\n',
    ' ',
    'rm -rf',
    '\u202e',
    '\u200b',
    '\x1b[8m',
    '\r',
    'а',
    '👩‍💻',
    '中文',
    '│ ',
    '┊ ',
  ),
)
const commands = fc
  .array(piece)
  .map((pieces) => pieces.join(''))
  .filter((text) => !/\n\s*\n\s*\n\s*\n| {40}|\n$/.test(text) && text !== '')

test('what a question shows is what the agent gets, on every width', () => {
  fc.assert(
    fc.property(commands, fc.integer({ min: 24, max: 120 }), (command, columns) => {
      const pages = pagesOf(question(command), { columns, rows: 24 })
      expect(shownBy(pages.flat())).toBe(command)
    }),
    { numRuns: 1000 },
  )
})

test('no row is harmful, wider than the screen, or without its mark', () => {
  fc.assert(
    fc.property(commands, fc.integer({ min: 30, max: 120 }), (command, columns) => {
      const pages = pagesOf(question(command, true), { columns, rows: 24 })
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(24 - 3)
      for (const row of pages.flat().slice(1)) {
        expect(row).toMatch(/^ {2}/)
        expect(row).not.toMatch(harmful)
        const visible = stripVTControlCharacters(row)
        expect([...visible].length).toBeLessThanOrEqual(columns)
      }
    }),
  )
})

test('a long gap is one row', () => {
  const rows = pagesOf(question(`ls${'\n'.repeat(500)}rm -rf /`), { columns: 80, rows: 24 })
  expect(rows).toEqual([['Allow bash?', '  │ ls', '  │ [499 empty lines]', '  │ rm -rf /']])
})

test('warnings are at the top, and again at the end of a long question', () => {
  const pages = pagesOf(question(`\u200b${'x'.repeat(3000)}`), { columns: 80, rows: 24 })
  expect(pages).toHaveLength(3)
  expect(pages[0]?.[1]).toBe('  Contains invisible characters.')
  expect(pages.at(-1)?.at(-1)).toBe('  Contains invisible characters.')
})

test('an edit is drawn with its signs, and with the path where a link leads', () => {
  const { lines, warnings } = requestLines(
    {
      kind: 'edit',
      path: 'notes.txt',
      realPath: '/home/me/.bashrc',
      isNewFile: false,
      hunks: [
        { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [' a', '-b', '+evil\u202e'] },
      ],
      unshown: {},
    },
    createStyle(false),
  )
  expect(lines.map(({ text }) => text)).toEqual([
    'changes notes.txt',
    'line 1',
    '  a',
    '- b',
    '+ evil\\u202e',
  ])
  expect(warnings).toEqual([
    'The path leads to /home/me/.bashrc.',
    'Contains text that screens show from right to left, or in another order.',
  ])
})

test('what can be typed breaks between words, and a row that continues is indented further', () => {
  const text = 'y yes, once · n no · or type what to do instead'
  expect(keyRows(text, 40)).toEqual(['  y yes, once · n no · or type what to', '    do instead'])
  expect(keyRows(text, 80)).toEqual([`  ${text}`])
})
