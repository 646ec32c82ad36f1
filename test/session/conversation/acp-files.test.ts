import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { onlyResult, openClientSession } from '../../support/acp-client-session.ts'
import { write } from '../../support/acp-client-steps.ts'
import { ofType, textOf } from '../../support/decoded.ts'

const read = (path: string, more: object = {}) =>
  ['request', 'fs/read_text_file', { path, ...more }] as const
const update = (fields: object) => ['update', fields] as const
const editing = (path: string) =>
  update({
    ...{ sessionUpdate: 'tool_call', toolCallId: 't1', kind: 'edit', title: 'Edit' },
    ...{ status: 'in_progress', locations: [{ path }] },
  })
const edited = update({
  sessionUpdate: 'tool_call_update',
  toolCallId: 't1',
  status: 'completed',
})
test('files and terminals are announced', async () => {
  const { session } = openClientSession()
  const events = await session.run('capabilities')
  expect(JSON.parse(textOf(events))).toMatchObject({
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
  })
})

describe('an agent reads through Sluice', () => {
  test('a file of the project, whole or some lines of it', async () => {
    const { run, cwd } = openClientSession()
    const path = join(cwd, 'a.txt')
    writeFileSync(path, 'one\ntwo\r\nthree\nfour')
    const { answers } = await run(
      read(path),
      read(path, { line: 2, limit: 2 }),
      read(path, { line: 4 }),
      read(path, { line: 9 }),
      read(path, { limit: 1 }),
      read(path, { line: null, limit: null }),
    )
    expect(answers.map(({ result }) => result?.content)).toEqual([
      'one\ntwo\r\nthree\nfour',
      'two\r\nthree\n',
      'four',
      '',
      'one\n',
      'one\ntwo\r\nthree\nfour',
    ])
  })

  test('a file that does not exist has the code of the protocol', async () => {
    const { run, cwd } = openClientSession()
    const { answers } = await run(read(join(cwd, 'none.txt')))
    expect(answers).toMatchObject([{ error: { code: -32_002 } }])
  })

  test('nothing outside of the project, by no way', async () => {
    const { run, cwd, home } = openClientSession()
    const secret = join(home, 'secret.txt')
    writeFileSync(secret, 'secret')
    symlinkSync(secret, join(cwd, 'link.txt'))
    symlinkSync(home, join(cwd, 'folder'))
    const { answers } = await run(
      read(secret),
      read(`${cwd}/../home/secret.txt`),
      read(join(cwd, 'link.txt')),
      read(join(cwd, 'folder/secret.txt')),
      read(`/proc/self/root${secret}`),
      read('a.txt'),
      read('/dev/zero'),
      read(cwd),
    )
    expect(answers.map(({ error }) => error?.code)).toEqual([
      ...[-32_602, -32_602, -32_602, -32_602, -32_602, -32_603, -32_602, -32_603],
    ])
    expect(JSON.stringify(answers)).not.toContain('"secret"')
  })

  test('a request for another session is refused', async () => {
    const { run, cwd } = openClientSession()
    const { answers } = await run(read(join(cwd, 'note.txt'), { sessionId: 'other' }))
    expect(answers).toMatchObject([{ error: { code: -32_602 } }])
  })
})

describe('an agent writes through Sluice', () => {
  test('a write without a call is shown as one, and a person decides', async () => {
    const { decide, cwd } = openClientSession()
    const path = join(cwd, 'new/deep/a.txt')
    const { events, request, answers } = await decide('allow', write(path, 'hello\n'))
    expect(request).toMatchObject({
      toolName: 'write_file',
      args: { file_path: path, content: 'hello\n' },
    })
    expect(answers).toEqual([{ result: {} }])
    expect(readFileSync(path, 'utf8')).toBe('hello\n')
    expect(onlyResult(events)).toMatchObject({
      toolCallId: request.toolCallId,
      isError: false,
      details: { diff: `--- /dev/null\n+++ ${path}\n@@ -0,0 +1,1 @@\n+hello\n` },
    })
  })

  test('a denied write leaves the file as it is', async () => {
    const { decide, cwd } = openClientSession()
    const path = join(cwd, 'a.txt')
    writeFileSync(path, 'old')
    const { events, answers } = await decide('deny', write(path, 'new'))
    expect(answers).toMatchObject([{ error: { code: -32_603 } }])
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(onlyResult(events)).toMatchObject({ isError: true })
  })

  test('a write of a call without a diff adds the diff to the result of that call', async () => {
    const { decide, cwd } = openClientSession()
    const path = join(cwd, 'a.txt')
    writeFileSync(path, 'old\n', { mode: 0o755 })
    const { events } = await decide('allow', editing(path), write(path, 'new\n'), edited)
    const { details, toolCallId } = onlyResult(events)
    expect(toolCallId).toBe('t1')
    expect(details).toMatchObject({ diff: expect.stringContaining('-old\n+new\n') })
  })

  test('nothing outside of the project is written, and nobody is asked about it', async () => {
    const { run, cwd, home } = openClientSession({ policy: 'allow' })
    const outside = join(home, 'outside.txt')
    writeFileSync(outside, 'old')
    symlinkSync(outside, join(cwd, 'link.txt'))
    symlinkSync(join(home, 'none.txt'), join(cwd, 'broken.txt'))
    symlinkSync(home, join(cwd, 'folder'))
    const { answers, events } = await run(
      write(outside, 'new'),
      write(join(cwd, 'link.txt'), 'new'),
      write(join(cwd, 'broken.txt'), 'new'),
      write(join(cwd, 'folder/new.txt'), 'new'),
      write(`${cwd}/../home/outside.txt`, 'new'),
      write(cwd, 'new'),
    )
    expect(answers.map(({ error }) => typeof error?.code)).toEqual(Array(6).fill('number'))
    expect(readFileSync(outside, 'utf8')).toBe('old')
    expect(existsSync(join(home, 'none.txt'))).toBe(false)
    expect(existsSync(join(home, 'new.txt'))).toBe(false)
    expect(ofType(events, 'approval_request')).toEqual([])
  })

  test('a rule decides about a write as about any edit', async () => {
    const { run, cwd } = openClientSession({ policy: 'allow-edits' })
    const path = join(cwd, 'a.txt')
    const { answers, events } = await run(write(path, 'new'))
    expect(answers).toEqual([{ result: {} }])
    expect(ofType(events, 'approval_resolved')).toMatchObject([{ action: 'allow', by: 'policy' }])
  })
})
