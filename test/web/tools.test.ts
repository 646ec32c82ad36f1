import { expect, test } from 'vitest'
import {
  formatAgo,
  formatCost,
  formatDuration,
  formatLeft,
  formatPrice,
  formatTokens,
} from '../../web/src/parts/format.ts'
import { plainText } from '../../web/src/tools/plain-text.ts'
import { subjectOf } from '../../web/src/tools/subject-of.ts'

test.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['\u001b]0;title\u0007text', 'text'],
  ['10%\r50%\r100%\ndone', '100%\ndone'],
  ['one\r\ntwo\r\n', 'one\ntwo\n'],
])('terminal output is shown as plain text: %j', (printed, shown) => {
  expect(plainText(printed)).toBe(shown)
})

test.each([
  ['bash', { command: 'ls\n  -l' }, 'ls -l'],
  ['Read', { file_path: '/a/b.ts' }, '/a/b.ts'],
  ['Grep', { pattern: 'x', path: 'src' }, 'x  in src'.replace(/\s+/g, ' ')],
  ['Agent', { description: 'Count' }, 'Count'],
  ['mcp__echo__say', { text: 'hi' }, 'hi'],
  ['bash', undefined, ''],
  ['edit', 'torn', ''],
])('a call of %s is summarised in one line', (name, args, subject) => {
  expect(subjectOf(name, args)).toBe(subject)
})

test('paths in calls are relative to the directory of the session', () => {
  const subject = (name: string, args: unknown) => subjectOf(name, args, '/home/me/project')
  expect(subject('Edit', { file_path: '/home/me/project/src/a.ts' })).toBe('src/a.ts')
  expect(subject('read', { path: 'src/a.ts' })).toBe('src/a.ts')
  expect(subject('Read', { file_path: '/home/me/project-two/a.ts' })).toBe(
    '/home/me/project-two/a.ts',
  )
  expect(subject('Grep', { pattern: 'x', path: '/home/me/project/src' })).toBe('x in src')
  // A very long one keeps the name of the file.
  expect(subject('Read', { file_path: `/${'long/'.repeat(100)}name.ts` })).toMatch(
    /^….*\/name\.ts$/,
  )
})

test('numbers are short', () => {
  const tokens = [999, 1200, 34_400, 1_500_000, 2_190_000_000].map(formatTokens)
  expect(tokens).toEqual(['999', '1.2k', '34k', '1.5M', '2.2B'])
  expect([null, 0, 0.0038, 12.5].map(formatCost)).toEqual(['–', '$0.00', '$0.0038', '$12.50'])
  expect(formatCost(0.000_04)).toBe('<$0.0001')
  expect([0, 0.125, 0.08, 15].map(formatPrice)).toEqual(['$0.00', '$0.125', '$0.08', '$15.00'])
  expect([340, 2400, 185_000, 4_800_000].map(formatDuration)).toEqual([
    '340 ms',
    '2.4 s',
    '3 min 05 s',
    '1 h 20 min',
  ])
  expect([0, 4000, 65_000].map((left) => formatLeft(left, 0))).toEqual(['0 s', '4 s', '1:05'])
  expect([0, 3_599_000, 7_200_000].map((past) => formatAgo(0, past))).toEqual([
    'now',
    '59 min',
    '2 h',
  ])
})
