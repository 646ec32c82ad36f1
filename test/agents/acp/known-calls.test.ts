import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acpKnownCall } from '../../../src/agents/acp/known-calls.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { ofType } from '../../support/decoded.ts'
import { decodeChunks } from '../../support/recordings.ts'
import { root } from '../../support/sluice.ts'

const path = '/project/a.txt'

test.each([
  ['execute', { command: 'ls', description: 'List' }, true],
  ['Bash', { command: 'ls', timeout: 5 }, true],
  ['execute', { command: 'ls', commands: ['ls'] }, true],
  ['execute', { command: 'ls', commands: ['rm -rf /'] }, false],
  ['execute', { command: 'ls', shellId: 's1' }, false],
])('a command of %s with %o', (name, args, isPlain) => {
  expect(acpKnownCall(name, args)).toMatchObject({ kind: 'command', command: 'ls', isPlain })
})

test.each([
  ['a text that is replaced', 'Edit', { file_path: path, old_string: 'a', new_string: 'b' }],
  ['a diff in the content', 'edit', { title: 'a', diffs: [{ path, oldText: 'a', newText: 'b' }] }],
  ['a patch', 'edit', { filepath: path, diff: `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-a\n+b\n` }],
  ['a new file', 'create', { diffs: [{ path, oldText: null, newText: 'b' }], paths: [path] }],
])('%s is an edit', (_, name, args) => {
  expect(acpKnownCall(name, args)).toMatchObject({ kind: 'edit', path, change: {} })
})

test.each([
  [
    'two files',
    {
      diffs: [
        { path, newText: 'b' },
        { path: '/b', newText: 'b' },
      ],
    },
  ],
  ['another path beside the diff', { diffs: [{ path, newText: 'b' }], paths: ['/etc/passwd'] }],
  ['an unknown argument', { diffs: [{ path, newText: 'b' }], also: 'this' }],
  ['a relative path', { diffs: [{ path: 'a.txt', newText: 'b' }] }],
  ['a path with dots', { file_path: '/project/../a', content: 'b' }],
  ['a patch of two files', { filepath: path, diff: '+++ a\n@@ -1 +1 @@\n-a\n+b\n+++ b\n' }],
])('an edit with %s shows its arguments', (_, args) => {
  expect(acpKnownCall('edit', args)).toBeUndefined()
})

test('no call is known as a read, so no mode allows it without a question', () => {
  expect(acpKnownCall('read', { file_path: path })).toBeUndefined()
})

/** What every agent asks about in its recordings. */
const requestsOf = (agent: string) =>
  globSync(`${agent}/{allow,edit}*.ndjson`, { cwd: join(root, 'recordings/acp') })
    .filter((file) => !file.endsWith('.stdin.ndjson'))
    .flatMap((file): AgentEvent[] =>
      decodeChunks('acp', [readFileSync(join(root, 'recordings/acp', file))]),
    )

test.each(['claude-acp-0.99.1', 'opencode-1.18.33', 'copilot-1.0.102'])(
  'the commands and edits that %s asks about are known',
  (agent) => {
    const requests = ofType(requestsOf(agent), 'approval_request')
    expect(requests.length).toBeGreaterThan(0)
    const kinds = requests.map(({ toolName = '', args }) => acpKnownCall(toolName, args)?.kind)
    expect(new Set(kinds)).toEqual(new Set(['command', 'edit']))
  },
)
