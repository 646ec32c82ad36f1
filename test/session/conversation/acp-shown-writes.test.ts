import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openClientSession } from '../../support/acp-client-session.ts'
import { diff, permission, write } from '../../support/acp-client-steps.ts'
import { ofType } from '../../support/decoded.ts'

/** A session in which a person allows an edit, and then denies the write that needs another approval. */
const openEdit = () => {
  const { session, approval, cwd } = openClientSession()
  writeFileSync(join(cwd, 'a.txt'), 'old\n')
  const contentsOf = () =>
    ['a.txt', 'b.txt'].map(
      (name) => existsSync(join(cwd, name)) && readFileSync(join(cwd, name), 'utf8'),
    )
  const writeAfter = async (call: object, file: string, content: string) => {
    const before = contentsOf()
    const from = session.events.length
    const running = session.run(JSON.stringify([permission(call), write(join(cwd, file), content)]))
    const first = await approval(from)
    session.answer(first.approvalId, { action: 'allow' })
    const second = await approval(session.events.findIndex(({ seq }) => seq === first.seq) + 1)
    session.answer(second.approvalId, { action: 'deny' })
    await running
    expect(contentsOf()).toEqual(before)
    return { first, second }
  }
  return { writeAfter, cwd }
}

test('a write is not requested twice: the edit was allowed as it is written', async () => {
  const { decide, cwd } = openClientSession()
  const path = join(cwd, 'a.txt')
  writeFileSync(path, 'old\n')
  const { events, answers } = await decide(
    'allow',
    permission({ toolCallId: 't1', ...diff(path, 'old\n', 'new\n') }),
    write(path, 'new\n'),
  )
  expect(answers[1]).toEqual({ result: {} })
  expect(readFileSync(path, 'utf8')).toBe('new\n')
  expect(ofType(events, 'approval_request')).toHaveLength(1)
  expect(ofType(events, 'tool_call')).toHaveLength(1)
})

test.each([
  ['another content', 'a.txt', 'evil\n'],
  ['another file', 'b.txt', 'new\n'],
])('an allowed edit allows no write of %s', async (_, file, content) => {
  const { writeAfter, cwd } = openEdit()
  const { second } = await writeAfter(diff(join(cwd, 'a.txt'), 'old\n', 'new\n'), file, content)
  expect(second.args).toEqual({ file_path: join(cwd, file), content })
})

const patchOf = (path: string) => `--- ${path}\n+++ ${path}\n@@ -1,1 +1,1 @@\n-old\n+new\n`

/** Edits that name `a.txt` in one place and `b.txt` in another one. */
const twoPaths: [string, (a: string, b: string) => object][] = [
  [
    'arguments and content',
    (a, b) => ({ rawInput: { file_path: b, content: 'new\n' }, ...diff(a, 'old\n', 'new\n') }),
  ],
  [
    'arguments and locations',
    (a, b) => ({ rawInput: { file_path: a, content: 'new\n' }, locations: [{ path: b }] }),
  ],
  ['content and locations', (a, b) => ({ ...diff(a, 'old\n', 'new\n'), locations: [{ path: b }] })],
  ['two arguments', (a, b) => ({ rawInput: { file_path: a, filepath: b, content: 'new\n' } })],
  ['an argument and its patch', (a, b) => ({ rawInput: { filepath: b, diff: patchOf(a) } })],
  [
    'an argument and its diffs',
    (a, b) => ({
      rawInput: {
        file_path: a,
        content: 'new\n',
        diffs: [{ path: b, oldText: null, newText: '' }],
      },
    }),
  ],
]
describe.each(twoPaths)('an edit that names two files, by %s', (_, call) => {
  test.each(['a.txt', 'b.txt'])('shows both, and allows no write of %s', async (file) => {
    const { writeAfter, cwd } = openEdit()
    const [a, b] = [join(cwd, 'a.txt'), join(cwd, 'b.txt')]
    writeFileSync(b, 'old\n')
    const { first, second } = await writeAfter(call(a, b), file, 'new\n')
    expect(JSON.stringify(first.args)).toContain(a)
    expect(JSON.stringify(first.args)).toContain(b)
    expect(second.args).toEqual({ file_path: join(cwd, file), content: 'new\n' })
  })
})

test('an edit of two files, each with its diff, allows the writes of both', async () => {
  const { decide, cwd } = openClientSession()
  const [a, b] = [join(cwd, 'a.txt'), join(cwd, 'b.txt')]
  const content = [a, b].map((path) => ({ type: 'diff', path, oldText: null, newText: path }))
  const locations = [{ path: a }, { path: b }]
  const { events } = await decide(
    'allow',
    permission({ content, locations }),
    write(a, a),
    write(b, b),
  )
  expect([a, b].map((path) => readFileSync(path, 'utf8'))).toEqual([a, b])
  expect(ofType(events, 'approval_request')).toHaveLength(1)
})

test('a patch that names its own file allows the write', async () => {
  const { decide, cwd } = openClientSession()
  const path = join(cwd, 'a.txt')
  writeFileSync(path, 'old\n')
  const rawInput = { filepath: path, diff: `Index: ${path}\n${patchOf(path)}` }
  const { events } = await decide(
    'allow',
    permission({ rawInput, ...diff(path, 'old\n', 'new\n') }),
    write(path, 'new\n'),
  )
  expect(readFileSync(path, 'utf8')).toBe('new\n')
  expect(ofType(events, 'approval_request')).toHaveLength(1)
})

test('an allowance is used once', async () => {
  const { session, approval, cwd } = openClientSession()
  const path = join(cwd, 'a.txt')
  const rawInput = { file_path: path, content: 'new\n' }
  const steps = [permission({ rawInput }), write(path, 'new\n')]
  const from = session.events.length
  const running = session.run(JSON.stringify([...steps, write(path, 'new\n')]))
  const first = await approval(from)
  session.answer(first.approvalId, { action: 'allow' })
  const next = await approval(session.events.findIndex(({ seq }) => seq === first.seq) + 1)
  expect(readFileSync(path, 'utf8')).toBe('new\n')
  session.answer(next.approvalId, { action: 'deny' })
  await running
})
