import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { extractBlobs } from '../../src/log/blobs/extract-blobs.ts'
import { fileOf, linesOf, openProject, type Project } from './project.ts'
import { type Call, readDiffOf, runOf } from './tool-runs.ts'

let project: Project
beforeEach(async () => {
  project = await openProject()
})
afterEach(() => project.close())

const readDiff = (events: readonly AgentEvent[], cwd?: string) => readDiffOf(project, events, cwd)

describe('edits by Claude Code', () => {
  const edit = (old_string: string, new_string: string, more: object = {}): Call => ({
    name: 'Edit',
    input: { file_path: 'a.ts', old_string, new_string, ...more },
  })
  const original = 'one\ntwo\nthree\n'

  test('several edits of one file are one diff', async () => {
    const diff = await readDiff(
      runOf(
        { ...edit('two', 'TWO'), details: { filePath: 'a.ts', originalFile: original } },
        edit('three', '$&'),
        edit('TWO', '2'),
      ),
    )
    expect(fileOf(diff, 'a.ts').diff).toBe(
      '--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+$&\n',
    )
  })

  test('edits that undo each other are no change', async () => {
    const diff = await readDiff(
      runOf({ ...edit('two', 'TWO'), details: { originalFile: original } }, edit('TWO', 'two')),
    )
    expect(diff.files).toEqual([])
  })

  test('changes by others in between are shown if the tool saw them', async () => {
    const diff = await readDiff(
      runOf(
        { ...edit('two', 'TWO'), details: { originalFile: original } },
        { ...edit('TWO', '2'), details: { originalFile: 'ONE\nTWO\nthree\n' } },
      ),
    )
    expect(fileOf(diff, 'a.ts').diff).toContain('-one\n-two\n+ONE\n+2\n three\n')
  })

  test('without details, as in a subagent, the replaced pieces are shown', async () => {
    const diff = await readDiff(
      runOf(edit('a\nb', 'a\nB'), edit('x', 'y', { replace_all: true }), {
        name: 'MultiEdit',
        input: {
          file_path: 'b.ts',
          edits: [
            { old_string: '1', new_string: '2' },
            { old_string: '3', new_string: '4' },
          ],
        },
      }),
    )
    expect(diff.files).toMatchObject([
      { path: 'a.ts', status: 'modified', additions: 2, deletions: 2 },
      { path: 'b.ts', status: 'modified', additions: 2, deletions: 2 },
    ])
    expect(fileOf(diff, 'a.ts').diff).toBe(
      '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -1,1 +1,1 @@\n-x\n+y\n',
    )
  })

  test('several edits in one call, with the content before', async () => {
    const diff = await readDiff(
      runOf({
        name: 'MultiEdit',
        input: {
          file_path: 'a.ts',
          edits: [
            { old_string: 'o', new_string: '0', replace_all: true },
            { old_string: 'three', new_string: '3' },
          ],
        },
        details: { originalFileContents: original, structuredPatch: [] },
      }),
    )
    expect(fileOf(diff, 'a.ts').diff).toContain('-one\n-two\n-three\n+0ne\n+tw0\n+3\n')
  })

  test('a write over an existing file', async () => {
    const diff = await readDiff(
      runOf({
        name: 'Write',
        input: { file_path: 'a.ts', content: 'one\n2\nthree\n' },
        details: { type: 'update', filePath: 'a.ts', originalFile: original, structuredPatch: [] },
      }),
    )
    expect(fileOf(diff, 'a.ts')).toMatchObject({ status: 'modified', additions: 1, deletions: 1 })
  })

  test('a write whose result has only a diff', async () => {
    const patch = '@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n'
    const write = (path: string, before: string, content: string, hunk: string) => ({
      name: 'write',
      input: { path, content },
      details: { diff: `--- ${before}\n+++ ${path}\n${hunk}` },
    })
    const diff = await readDiff(
      runOf(
        write('a.ts', 'a.ts', 'one\n2\nthree\n', patch),
        write('new.ts', '/dev/null', 'new\n', '@@ -0,0 +1,1 @@\n+new\n'),
      ),
    )
    expect(fileOf(diff, 'a.ts')).toMatchObject({ status: 'modified', additions: 1, deletions: 1 })
    expect(fileOf(diff, 'a.ts').diff).toContain(patch)
    expect(fileOf(diff, 'new.ts')).toMatchObject({ status: 'added', additions: 1 })
  })

  test('a notebook: with a diff if its content is reported, else only listed', async () => {
    const input = { notebook_path: 'n.ipynb', cell_id: 'c', new_source: 'x' }
    const files = { original_file: '{"a": 1}\n', updated_file: '{"a": 2}\n' }
    const whole = await readDiff(runOf({ name: 'NotebookEdit', input, details: files }))
    expect(fileOf(whole, 'n.ipynb').diff).toContain('-{"a": 1}\n+{"a": 2}\n')
    const named = await readDiff(runOf({ name: 'NotebookEdit', input }))
    expect(named.files).toEqual([{ path: 'n.ipynb', status: 'modified', kind: 'binary' }])
  })
})

describe('edits by any tool', () => {
  test('a tool that reports a unified diff counts; one that only reads does not', async () => {
    const patch = '--- a/x\n+++ b/x\n@@ -7,1 +7,2 @@\n seven\n+eight\n'
    const diff = await readDiff(
      runOf(
        { name: 'apply', input: { path: 'x' }, details: { diff: patch } },
        { name: 'read', input: { path: 'y' }, details: { patch: 'no diff' } },
        { name: 'bash', input: { command: 'rm z' } },
        { name: 'edit', input: 'nonsense', details: 7 },
      ),
    )
    expect(diff.files).toMatchObject([{ path: 'x', diff: patch }])
  })

  test('Pi’s numbered diff becomes a unified diff, with its gaps', async () => {
    const numbered = [
      ' 1 a',
      '-2 b',
      '+2 B',
      '+3 more',
      ' 3 c',
      '   ...',
      ' 8 h',
      '-9 i',
      '10 odd',
    ].join('\n')
    const edits = [
      { oldText: 'b', newText: 'B\nmore' },
      { oldText: 'i\n', newText: '' },
    ]
    const diff = await readDiff(
      runOf({ name: 'edit', input: { path: 'a', edits }, details: { diff: numbered } }),
    )
    expect(fileOf(diff, 'a')).toMatchObject({ additions: 2, deletions: 2 })
    expect(fileOf(diff, 'a').diff).toBe(
      '--- a/a\n+++ b/a\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+more\n c\n@@ -8,2 +9,1 @@\n h\n-i\n',
    )
  })

  test('an edit, then a write: the file existed, with unknown content', async () => {
    const diff = await readDiff(
      runOf(
        { name: 'edit', input: { path: 'a', oldText: 'x', newText: 'y' } },
        { name: 'write', input: { path: './a', content: 'new\n' } },
      ),
    )
    expect(diff.files).toMatchObject([
      { path: 'a', status: 'modified', diff: '--- a/a\n+++ b/a\n@@ -0,0 +1,1 @@\n+new\n' },
    ])
  })

  test('a file outside the directory has an absolute path', async () => {
    const diff = await readDiff(
      runOf(
        { name: 'write', input: { path: '../out', content: '1\n' } },
        { name: 'write', input: { path: '/etc/motd', content: '1\n' } },
        { name: 'write', input: { path: '..in', content: '1\n' } },
      ),
    )
    expect(diff.files.map(({ path }) => path)).toEqual(['..in', '/etc/motd', `${project.root}/out`])
  })

  test('arguments that a person changed count; a call without a result does not', async () => {
    const [start, call, execution, result] = runOf({
      name: 'write',
      input: { path: 'a', content: 'the model’s\n' },
    })
    if (!start || !call || !execution || !result) throw new Error('no events')
    const diff = await readDiff([
      start,
      call,
      {
        type: 'approval_resolved',
        approvalId: 'x',
        toolCallId: 't0',
        action: 'allow',
        outcome: 'answered',
        updatedInput: { path: 'a', content: 'the person’s\n' },
      },
      execution,
      result,
      {
        type: 'tool_call',
        toolCallId: 'open',
        toolName: 'write',
        input: { path: 'b', content: '' },
      },
    ])
    expect(linesOf(diff)).toEqual(['written a'])
    expect(fileOf(diff, 'a').diff).toContain('+the person’s\n')
  })

  test('large arguments are read from their blob; without it the file is only listed', async () => {
    const content = 'line of a large file\n'.repeat(20_000)
    const spilled = runOf(
      { name: 'write', input: { path: 'large', content } },
      { name: 'edit', input: { path: 'large', oldText: content, newText: 'small\n' } },
    ).map((event) => extractBlobs(event))
    expect(spilled.flatMap(({ blobs }) => blobs).length).toBeGreaterThan(1)
    await project.append(...spilled.map(({ event }) => event))
    const read = () => project.read()
    expect((await read()).files).toEqual([
      expect.objectContaining({ path: 'large', status: 'written', kind: 'huge' }),
    ])
    for (const { bytes } of spilled.flatMap(({ blobs }) => blobs))
      await project.log.blobs.put('s', bytes)
    expect((await read()).files).toMatchObject([
      { path: 'large', kind: 'text', status: 'written', additions: 1 },
    ])
  })

  test('an edit of similar text is applied by its hunks', async () => {
    const patch = '@@ -1,2 +1,2 @@\n it’s\n-old\n+new\n'
    const diff = await readDiff(
      runOf(
        { name: 'write', input: { path: 'a', content: 'it’s\nold\n' } },
        {
          name: 'edit',
          input: { path: 'a', oldText: "it's\nold", newText: 'x' },
          details: { patch },
        },
      ),
    )
    expect(fileOf(diff, 'a').diff).toContain('@@ -0,0 +1,2 @@\n+it’s\n+new\n')
  })
})
