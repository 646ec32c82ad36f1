import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWorkspace } from '../../../src/workspace/open-workspace.ts'
import { readyRig } from '../../support/acp-rig.ts'
import { ofType } from '../../support/decoded.ts'
import { eventually } from '../../support/eventually.ts'

let cwd: string
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-services-')))
  writeFileSync(join(cwd, 'a.txt'), 'old\n')
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** A connection over a real project. The rig checks each line that is written by the official schema. */
const open = (whenWritten: () => Promise<void> = async () => {}) => {
  const workspace = openWorkspace({
    ...{ agent: {}, env: process.env, ownEnv: {}, cwd, directories: [], whenWritten },
  })
  const rig = readyRig({ workspace, cwd })
  rig.connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  let id = 100
  const request = async (method: string, params: object) => {
    id += 1
    const own = id
    rig.receive({ id: own, method, params: { sessionId: 's1', ...params } })
    return eventually(() => {
      const found = rig.written.find((line) => line.id === own && !('method' in line))
      expect(found).toBeDefined()
      return found ?? {}
    })
  }
  let decided = 0
  const allowNext = () =>
    eventually(() => {
      const found = ofType(rig.events, 'approval_request')[decided]
      if (!found) throw new Error('no request')
      decided += 1
      rig.connection.send({ type: 'answer', id: 'c2', request: found, answer: { action: 'allow' } })
    })
  return { ...rig, request, allowNext }
}

test('every answer about files and terminals is one of the protocol', async () => {
  const { request, allowNext } = open()
  const path = join(cwd, 'a.txt')
  expect(await request('fs/read_text_file', { path })).toMatchObject({
    result: { content: 'old\n' },
  })
  const written = request('fs/write_text_file', { path, content: 'new\n' })
  await allowNext()
  expect(await written).toMatchObject({ result: {} })
  const created = request('terminal/create', { command: 'echo', args: ['hi'] })
  await allowNext()
  expect(await created).toMatchObject({ result: { terminalId: 'terminal-1' } })
  const terminalId = 'terminal-1'
  for (const method of ['wait_for_exit', 'output', 'kill', 'release'])
    expect(await request(`terminal/${method}`, { terminalId })).toHaveProperty('result')
  for (const bad of [{}, { path: 5 }, { path: '/etc/passwd' }, { path: join(cwd, 'none') }])
    expect(await request('fs/read_text_file', bad)).toHaveProperty('error.message')
})

test('a directory that became a link while a person decided is refused', async () => {
  const { request, allowNext, events } = open()
  const below = join(cwd, 'below')
  for (const name of ['below', 'other']) mkdirSync(join(cwd, name))
  const created = request('terminal/create', { command: 'touch made', cwd: below })
  await eventually(() => expect(ofType(events, 'approval_request')).toHaveLength(1))
  rmSync(below, { recursive: true })
  symlinkSync('other', below)
  await allowNext()
  expect(await created).toHaveProperty('error.message')
  expect(readdirSync(join(cwd, 'other'))).toEqual([])
})

test('an agent that does not read its answers gets no more of them', async () => {
  const { receive, written } = open(() => new Promise(() => {}))
  const count = written.length
  const path = join(cwd, 'a.txt')
  for (let id = 100; id < 300; id += 1)
    receive({ id, method: 'fs/read_text_file', params: { sessionId: 's1', path } })
  await eventually(() => expect(written.length).toBe(count + 100))
  expect(written.slice(count).every((line) => 'error' in line)).toBe(true)
})

describe('an answer that changes the arguments', () => {
  test('denies the write', async () => {
    const { request, events, connection } = open()
    const answered = request('fs/write_text_file', { path: join(cwd, 'a.txt'), content: 'new\n' })
    await eventually(() => expect(ofType(events, 'approval_request')).toHaveLength(1))
    const [found] = ofType(events, 'approval_request')
    if (!found) return expect.unreachable('no request')
    const answer = { action: 'allow', updatedInput: { file_path: 'b', content: 'x' } } as const
    connection.send({ type: 'answer', id: 'c2', request: found, answer })
    expect(await answered).toHaveProperty('error')
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('old\n')
  })
})

test('without a workspace nothing is offered, and requests are refused', () => {
  const { written, receive, last } = readyRig()
  expect(written[0]).toMatchObject({
    params: {
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    },
  })
  receive({ id: 7, method: 'terminal/create', params: { sessionId: 's1', command: 'ls' } })
  expect(last()).toMatchObject({ id: 7, error: { code: -32_601 } })
})
