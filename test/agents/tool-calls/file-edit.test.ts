import { describe, expect, test } from 'vitest'
import { fileEditOf } from '../../../src/agents/tool-calls/file-edit.ts'

describe('an edit', () => {
  test('of Pi has its replacement beside the path, or a list of them', () => {
    const one = { oldText: 'a', newText: 'b' }
    const replacement = { from: 'a', to: 'b', isAll: false }
    expect(fileEditOf({ path: 'f', ...one })).toMatchObject({
      path: 'f',
      replacements: [replacement],
    })
    expect(fileEditOf({ path: 'f', edits: [one, one] }).replacements).toEqual([
      replacement,
      replacement,
    ])
  })

  test('of Claude Code has the file before, and hunks with their positions', () => {
    const args = { file_path: '/f', old_string: 'a', new_string: 'b', replace_all: true }
    const hunk = { oldStart: 3, oldLines: 1, newStart: 3, newLines: 1, lines: ['-a', '+b'] }
    expect(fileEditOf(args, { originalFile: 'a', structuredPatch: [hunk] })).toMatchObject({
      path: '/f',
      before: 'a',
      replacements: [{ from: 'a', to: 'b', isAll: true }],
      hunks: [hunk],
    })
  })

  test('of a new file has null before it; one that says nothing has undefined', () => {
    const args = { file_path: '/f', content: 'x' }
    expect(fileEditOf(args, { originalFile: null })).toMatchObject({ before: null, content: 'x' })
    expect(fileEditOf(args).before).toBeUndefined()
  })

  test('of a notebook has the new source of its cell, and the whole file from the result', () => {
    const args = { notebook_path: '/n.ipynb', new_source: 'print(1)' }
    const details = { original_file: '{}', updated_file: '{"cells":[]}' }
    expect(fileEditOf(args, details)).toMatchObject({
      path: '/n.ipynb',
      cell: 'print(1)',
      before: '{}',
      content: '{"cells":[]}',
    })
  })

  test.each([undefined, null, 'text', 7, [], { path: 7, edits: 'x' }])(
    'is empty if the arguments are invalid: %j',
    (args) => {
      expect(fileEditOf(args, args)).toMatchObject({ path: undefined, replacements: [], hunks: [] })
    },
  )
})
