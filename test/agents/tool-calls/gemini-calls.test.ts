import { describe, expect, test } from 'vitest'
import { geminiKnownCall } from '../../../src/agents/gemini/known-calls.ts'
import { qwenKnownCall } from '../../../src/agents/qwen/known-calls.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { ofType } from '../../support/decoded.ts'
import { decodeChunks, recording } from '../../support/recordings.ts'

const here = '[current working directory /home/dev/allow] (Run a command)'

describe('Gemini CLI over ACP, which sends no arguments', () => {
  const command = (title: string, text?: string) =>
    geminiKnownCall('run_shell_command', text === undefined ? { title } : { title, text })

  test('the title of an approval is the whole command', () => {
    expect(command('touch a; echo b', here)).toEqual({
      ...{ kind: 'command', command: 'touch a; echo b', commandArgument: 'title' },
      ...{ isPlain: true, startsInCwd: true },
    })
    expect(geminiKnownCall('execute', { title: 'ls', text: here })).toMatchObject({ command: 'ls' })
  })

  test('a title alone may be a description by the model: it is not a command', () => {
    expect(command('Lists the files')).toBeUndefined()
    expect(command('Lists the files', 'some output')).toBeUndefined()
  })

  test('another directory or the background is more than the command says', () => {
    expect(command('ls', '[in sub] (x)')).toMatchObject({ isPlain: false, startsInCwd: false })
    expect(command('ls', `${here} [background]`)).toMatchObject({ isPlain: false })
  })

  test('an edit is one file, whole', () => {
    const diff = { path: '/p/a.txt', oldText: 'a\n', newText: 'b\n' }
    const args = { title: 'a.txt: a => b', paths: ['/p/a.txt'], diffs: [diff] }
    const change = { type: 'content', content: 'b\n' }
    for (const name of ['replace', 'write_file', 'edit'])
      expect(geminiKnownCall(name, args)).toEqual({ kind: 'edit', path: '/p/a.txt', change })
    expect(geminiKnownCall('edit', { ...args, paths: ['/p/b.txt'] })).toBeUndefined()
    expect(geminiKnownCall('edit', { ...args, diffs: [diff, diff] })).toBeUndefined()
    expect(geminiKnownCall('edit', { ...args, surprise: 1 })).toBeUndefined()
  })
})

const cases = [
  ['Gemini CLI', geminiKnownCall, 'replace', 'allow_multiple'],
  ['Qwen Code', qwenKnownCall, 'edit', 'replace_all'],
] as const

describe.each(cases)('%s with arguments', (_, knownCall, edit, all) => {
  test('commands, edits and reads are known', () => {
    const shell = { command: 'ls', description: 'List', is_background: false }
    expect(knownCall('run_shell_command', shell)).toMatchObject({ command: 'ls', isPlain: true })
    const elsewhere = { ...shell, is_background: true, directory: '/etc' }
    expect(knownCall('run_shell_command', elsewhere)).toMatchObject({ isPlain: false })
    const written = { file_path: '/p/a', content: 'x' }
    expect(knownCall('write_file', written)).toMatchObject({ kind: 'edit', path: '/p/a' })
    const replaced = { file_path: '/p/a', old_string: 'a', new_string: 'b', [all]: true }
    expect(knownCall(edit, replaced)).toMatchObject({
      change: { replacements: [{ from: 'a', to: 'b', isAll: true }] },
    })
    expect(knownCall('read_file', { file_path: '/p/a' })).toEqual({ kind: 'read', paths: ['/p/a'] })
  })

  test('an argument that is not known makes a call unknown', () => {
    expect(knownCall('write_file', { file_path: '/p/a', content: 'x', mode: 7 })).toBeUndefined()
    expect(knownCall('read_file', { file_path: '~/a' })).toBeUndefined()
    expect(knownCall('run_shell_command', { command: 5 })).toBeUndefined()
  })
})

describe('the approvals in the recordings over ACP', () => {
  const requests = (name: string) => ofType(eventsOf(name), 'approval_request')
  const eventsOf = (name: string): AgentEvent[] =>
    decodeChunks('acp', [recording(`acp/${name}`).bytes()])

  test('are known calls', () => {
    const known = (name: string, knownCall: typeof qwenKnownCall) =>
      requests(name).map(({ toolName = '', args }) => knownCall(toolName, args))
    expect(known('gemini-0.61.0/allow', geminiKnownCall)).toMatchObject([
      { kind: 'command', command: 'touch allowed.txt; echo allowed', isPlain: true },
    ])
    expect(known('gemini-0.61.0/edit', geminiKnownCall)).toMatchObject([
      { kind: 'edit', change: { content: 'hello\nthere\n' } },
    ])
    expect(known('qwen-0.24.4/allow', qwenKnownCall)).toMatchObject([
      { kind: 'command', command: 'touch allowed.txt; echo allowed', isPlain: true },
    ])
    expect(known('qwen-0.24.4/edit-default', qwenKnownCall)).toMatchObject([{ kind: 'edit' }])
  })
})
