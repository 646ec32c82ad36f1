import { expect, test } from 'vitest'
import { editsOf } from '../../src/turn-diff/edit-of.ts'

test('one call that changes several files is an edit of each', () => {
  const input = { changes: [{ path: '/p/a.txt' }, { path: '/p/new.txt' }] }
  const diff = [
    '--- /p/a.txt',
    '+++ /p/a.txt',
    '@@ -1,1 +1,1 @@',
    '-hello',
    '+bye',
    '--- /dev/null',
    '+++ /p/new.txt',
    '@@ -0,0 +1,1 @@',
    '+brand new',
    '',
  ].join('\n')
  const edits = editsOf({ toolName: 'file_change', input, details: { diff }, isCut: false })
  expect(edits.map(({ path, before }) => [path, before])).toEqual([
    ['/p/a.txt', undefined],
    ['/p/new.txt', null],
  ])
  expect(edits.map(({ hunks }) => hunks?.[0]?.lines)).toEqual([['-hello', '+bye'], ['+brand new']])
})
