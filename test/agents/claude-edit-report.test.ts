import { describe, expect, test } from 'vitest'
import { editReport } from '../../src/agents/claude/edit-report.ts'
import { fieldsOf } from '../../src/shared/fields.ts'
import { decoderOf, ofType } from '../support/decoded.ts'

const decode = decoderOf('claude')

/** What 1.0.128 printed for the edit of a file with 20 lines. */
const shown = `The file /p/a.txt has been updated. Here's the result of running \`cat -n\` on a snippet of the edited file:
     6→line 6
     7→line 7
     8→line 8
     9→line 9
    10→LINE 10
    11→new
    12→LINE 11
    13→line 12
    14→line 13
    15→line 14
    16→line 15`

const input = {
  file_path: '/p/a.txt',
  old_string: 'line 10\nline 11',
  new_string: 'LINE 10\nnew\nLINE 11',
}

const diffOf = (name: string, args: object, text: string) => {
  const use = { type: 'tool_use', id: 't', name, input: args }
  const events = decode(
    { type: 'system', subtype: 'init', session_id: 's' },
    { type: 'assistant', message: { id: 'm', role: 'assistant', content: [use] } },
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 't', content: text }] },
    },
    { type: 'result', subtype: 'success', is_error: false, result: '' },
  )
  return fieldsOf(ofType(events, 'tool_result')[0]?.message.details).diff
}

describe('Claude Code 1.0, which reports no details', () => {
  test('an edit has the diff of the lines that it shows, with their numbers', () => {
    expect(diffOf('Edit', input, shown)).toBe(
      [
        '--- /p/a.txt\n+++ /p/a.txt\n@@ -7,8 +7,9 @@\n line 7\n line 8\n line 9',
        '-line 10\n-line 11\n+LINE 10\n+new\n+LINE 11\n line 12\n line 13\n line 14\n',
      ].join('\n'),
    )
  })

  test('a new file has a diff from /dev/null', () => {
    const args = { file_path: '/p/b', content: 'one\n' }
    expect(diffOf('Write', args, 'File created successfully at: /p/b')).toBe(
      '--- /dev/null\n+++ /p/b\n@@ -0,0 +1,1 @@\n+one\n',
    )
  })

  test.each([
    ['a text that is there twice', 'Edit', { ...input, new_string: 'line 1' }, shown],
    ['a replacement everywhere', 'Edit', { ...input, replace_all: true }, shown],
    ['a deletion', 'Edit', { ...input, new_string: '' }, shown],
    ['a result without lines', 'Edit', input, 'The file was updated.'],
    ['a file that was overwritten', 'Write', { content: 'x' }, shown],
    ['another tool', 'Read', {}, shown],
  ])('%s has none', (_, name, args, text) => {
    expect(editReport(name, args, [{ type: 'text', text }])).toBeUndefined()
  })
})
