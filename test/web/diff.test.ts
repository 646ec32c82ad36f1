import { createTwoFilesPatch } from 'diff'
import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { SplitRows, UnifiedRows } from '../../web/src/diff/diff-rows.tsx'
import { patchHunks, textHunks } from '../../web/src/diff/hunks.ts'
import { type DiffRow, diffRows, rowPairs } from '../../web/src/diff/rows.ts'
import { editDiff } from '../../web/src/tools/edit-diff.ts'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', 'const x = 1', '-- minus', '++ plus'), {
  maxLength: 12,
})
const textOf = (all: readonly string[]) => all.map((line) => `${line}\n`).join('')
const side = (rows: readonly DiffRow[], kind: 'removed' | 'added') =>
  rows.filter((row) => row.kind === 'same' || row.kind === kind).map(({ text }) => text)

describe('rows of a diff', () => {
  test('contain both texts, for any texts', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const rows = diffRows(textHunks(textOf(before), textOf(after), 100))
        const isSame = textOf(before) === textOf(after)
        expect(side(rows, 'removed')).toEqual(isSame ? [] : before)
        expect(side(rows, 'added')).toEqual(isSame ? [] : after)
      }),
    )
  })

  test('are the same for a patch as for its two texts', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const [left, right] = [textOf(before), textOf(after)]
        const patch = createTwoFilesPatch('a.txt', 'b.txt', left, right, '', '', { context: 3 })
        expect(diffRows(patchHunks(patch))).toEqual(diffRows(textHunks(left, right)))
      }),
    )
  })

  test('mark what changed inside a line', () => {
    const rows = diffRows(textHunks('const a = 1\n', 'const b = 1\n'))
    expect(rows.map(({ text, mark }) => text.slice(...(mark ?? [0, 0])))).toEqual(['a', 'b'])
  })

  test('are paired with their counterparts', () => {
    const rows = diffRows(textHunks('a\nb\nc\n', 'a\nB\nBB\nc\n'))
    expect(rowPairs(rows).map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ['a', 'a'],
      ['b', 'B'],
      [undefined, 'BB'],
      ['c', 'c'],
    ])
  })
})

describe('a gap between two hunks', () => {
  const hunks = [
    { oldStart: 1, newStart: 1, lines: [' a', '+b'] },
    { oldStart: 9, newStart: 10, lines: ['-c', ' d'] },
  ]

  test.each([
    ['in one column', UnifiedRows, 1],
    ['on both sides', SplitRows, 2],
  ])('is shown %s', (_, view, count) => {
    const html = renderToStaticMarkup(createElement(view, { rows: diffRows(hunks) }))
    expect(html.match(/⋯/g)).toHaveLength(count)
  })
})

describe('an edit', () => {
  const changed = (args: unknown, details?: unknown) =>
    diffRows(editDiff(args, details).hunks)
      .filter(({ kind }) => kind === 'removed' || kind === 'added')
      .map(({ kind, text, before, after }) => `${kind} ${before ?? after ?? '?'} ${text}`)

  test('of Pi is read from its arguments, without numbers, or from its patch', () => {
    const args = { path: 'a.ts', oldText: 'one', newText: 'two' }
    expect(changed(args)).toEqual(['removed ? one', 'added ? two'])
    expect(editDiff(args)).toMatchObject({ isAgainstFile: false, isWhole: false })
    expect(diffRows(editDiff(args).hunks).map(({ kind }) => kind)).toEqual(['removed', 'added'])
    const patch = '--- a.ts\n+++ a.ts\n@@ -7,1 +7,1 @@\n-one\n+two\n'
    // As old sessions have it.
    expect(changed(args, { diff: '-7 one\n+7 two' })).toEqual(['removed 7 one', 'added 7 two'])
    expect(changed(args, { diff: '-7 one\n+7 two', patch })).toEqual([
      'removed 7 one',
      'added 7 two',
    ])
  })

  test('of Claude Code is read from its structured patch', () => {
    const structuredPatch = [
      { oldStart: 3, oldLines: 2, newStart: 3, newLines: 2, lines: [' a', '-b', '+B'] },
    ]
    const args = { file_path: '/p/a.ts', old_string: 'b', new_string: 'B' }
    expect(editDiff(args, { structuredPatch }).path).toBe('/p/a.ts')
    expect(changed(args, { structuredPatch })).toEqual(['removed 4 b', 'added 4 B'])
  })

  test('that writes a whole file is compared with the file, if its content is known', () => {
    const args = { file_path: 'a', content: 'x\ny\n' }
    expect(changed(args)).toEqual(['added ? x', 'added ? y'])
    expect(editDiff(args)).toMatchObject({ isAgainstFile: false, isWhole: true })
    expect(changed(args, { originalFile: null })).toEqual(['added 1 x', 'added 2 y'])
    expect(changed(args, { originalFile: 'x\nz\n' })).toEqual(['removed 2 z', 'added 2 y'])
    const diff = '--- a\n+++ a\n@@ -1,2 +1,2 @@\n x\n-z\n+y\n'
    expect(changed(args, { diff })).toEqual(['removed 2 z', 'added 2 y'])
    expect(editDiff(args, { diff })).toMatchObject({ isAgainstFile: true })
  })

  test('that leaves the file as it is has a diff without lines', () => {
    const diff = '--- a\n+++ a\n'
    expect(editDiff({ path: 'a', content: 'x' }, { diff })).toMatchObject({
      hunks: [],
      isAgainstFile: true,
    })
  })

  test('that says in two ways what to write has no diff', () => {
    const patch = '@@ -1,1 +1,1 @@\n-a\n+b'
    expect(changed({ file_path: 'a', patch })).toHaveLength(2)
    expect(changed({ file_path: 'a', content: 'evil()', patch })).toEqual([])
    expect(changed({ path: 'a', content: 'evil()', oldText: 'a', newText: 'b' })).toEqual([])
  })

  test('in several places contains all of them', () => {
    const edits = [
      { oldText: 'a', newText: 'b' },
      { oldText: 'c', newText: 'd' },
    ]
    expect(changed({ path: 'f', edits })).toHaveLength(4)
  })

  test.each([undefined, null, 'text', 7, [], { path: 7 }])(
    'has no hunks if the arguments are invalid: %j',
    (args) => {
      expect(editDiff(args).hunks).toEqual([])
    },
  )
})
