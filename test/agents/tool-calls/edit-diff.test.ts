import { applyPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detailsWithDiff, type ReturnedCall } from '../../../src/agents/tool-calls/edit-diff.ts'
import { fieldsOf, stringOf } from '../../../src/shared/fields.ts'
import { decodeChunks, recording } from '../../support/recordings.ts'

const diffOf = (call: Partial<ReturnedCall>): string | undefined =>
  stringOf(
    fieldsOf(
      detailsWithDiff({
        toolName: 'Edit',
        args: undefined,
        details: undefined,
        isError: false,
        ...call,
      }),
    ).diff,
  )

describe('the result of a recorded edit has a unified diff', () => {
  test.each([
    ['pi/0.73.1/multi-turn-5', 'numbered lines'],
    ['pi/0.87.1/multi-turn-5', 'a patch'],
    ['pi/1.5.0/multi-turn-5', 'a patch'],
    ['claude/2.1.325/edit', 'hunks'],
  ])('%s, where the agent reports %s', (name) => {
    const { agent, bytes } = recording(name)
    const results = decodeChunks(agent, [bytes()]).flatMap((event) =>
      event.type === 'tool_result' && /^edit$/i.test(event.message.toolName ?? '')
        ? [event.message]
        : [],
    )
    expect(results.length).toBeGreaterThan(0)
    for (const { details, isError } of results) {
      const diff = stringOf(fieldsOf(details).diff)
      if (isError) expect(diff).toBeUndefined()
      else expect(diff).toMatch(/^--- \S+\n\+\+\+ \S+\n@@ -\d+,\d+ \+\d+,\d+ @@\n[ +-]/)
    }
  })
})

describe('a unified diff', () => {
  test('of a new file begins at /dev/null', () => {
    const call = {
      toolName: 'Write',
      args: { file_path: '/p/a.txt', content: 'one\ntwo' },
      details: { type: 'create', originalFile: null, structuredPatch: [] },
    }
    expect(diffOf(call)).toBe(
      '--- /dev/null\n+++ /p/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n',
    )
  })

  test('has the hunks that the agent reports', () => {
    const hunk = { oldStart: 7, oldLines: 2, newStart: 7, newLines: 2, lines: [' a', '-b', '+c'] }
    expect(
      diffOf({
        args: { file_path: '/f' },
        details: { structuredPatch: [hunk], originalFile: 'x' },
      }),
    ).toBe('--- /f\n+++ /f\n@@ -7,2 +7,2 @@\n a\n-b\n+c\n')
  })

  test('leaves out lines that Pi’s own diff leaves out', () => {
    const diff = ' 1 a\n-2 b\n+2 B\n   ...\n 9 i\n+10 j'
    expect(diffOf({ toolName: 'edit', args: { path: 'f' }, details: { diff } })).toBe(
      '--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -9,1 +9,2 @@\n i\n+j\n',
    )
  })

  test('quotes a name that would break its heading', () => {
    const args = { file_path: '/a\n+++ /b', content: '' }
    expect(diffOf({ args, details: { originalFile: null } })).toBe(
      '--- /dev/null\n+++ "/a\\n+++ /b"\n',
    )
  })

  test.each<[string, Partial<ReturnedCall>]>([
    ['a failed edit', { isError: true, details: { diff: '-1 a\n+1 b' } }],
    ['a tool that does not edit', { toolName: 'Bash', details: { originalFile: 'a' } }],
    ['an edit without any report', { toolName: 'write', args: { path: 'f', content: 'x' } }],
    ['a result that is text', { details: 'The file was updated.' }],
    [
      'replacements that do not fit',
      { args: { old_string: 'x', new_string: 'y' }, details: { originalFile: 'a' } },
    ],
  ])('is absent for %s', (_, call) => {
    expect(diffOf(call)).toBe(stringOf(fieldsOf(call.details).diff))
  })

  test('leads from any content to any other', () => {
    const content = fc
      .array(fc.constantFrom('a', 'b', 'c', '', '-', '+ x', '\\ y'), { maxLength: 12 })
      .chain((lines) =>
        fc.boolean().map((isEnded) => lines.join('\n') + (isEnded && lines.length > 0 ? '\n' : '')),
      )
    fc.assert(
      fc.property(content, content, (before, after) => {
        const args = { file_path: '/f', content: after }
        const diff = diffOf({ toolName: 'Write', args, details: { originalFile: before } })
        expect(applyPatch(before, diff ?? '')).toBe(after)
      }),
    )
  })
})
