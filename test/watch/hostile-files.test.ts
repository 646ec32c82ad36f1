import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Log } from '../../src/log/log.ts'
import { findSessions } from '../../src/watch/files/find-files.ts'
import { storedPositions } from '../../src/watch/files/stored-positions.ts'
import { claudeSource } from '../../src/watch/sources/claude.ts'
import { age, agentHome, putRecording, putSample } from './home.ts'
import { eventsOf, importHome, memoryLog, sessionsOf } from './rig.ts'

const claude = 'claude-session-file/2.1.325'

test('links, pipes, other names and second names are not opened', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const outside = agentHome()
  const secret = putRecording(outside, `${claude}/p-text`, 'secret')
  const projects = join(home, '.claude/projects')
  const project = join(projects, '-home-dev-project')
  mkdirSync(project, { recursive: true })
  symlinkSync(secret, join(project, 'linked.jsonl'))
  symlinkSync(join(outside, '.claude/projects'), join(projects, 'linked-folder'))
  linkSync(secret, join(project, 'second-name.jsonl'))
  execFileSync('mkfifo', [join(project, 'pipe.jsonl')])
  mkdirSync(join(project, 'folder.jsonl'))
  writeFileSync(join(project, '4711.key'), 'secret')
  const [count] = await importHome(home, log)
  expect(await sessionsOf(log)).toEqual([])
  expect(count).toMatchObject({ read: 0 })
})

test('lines that are too long, too deep or no JSON are errors, and the others are read', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const path = putRecording(home, `${claude}/p-text`, 'n1')
  appendFileSync(path, `${'['.repeat(5000)}\n`)
  appendFileSync(path, `{"type":"user","deep":${'['.repeat(2000)}${']'.repeat(2000)}}\n`)
  appendFileSync(path, `"${'x'.repeat(33 * 1024 * 1024)}"\n`)
  appendFileSync(path, Buffer.from([0xff, 0xfe, 0x0a]))
  appendFileSync(path, '{"type":"custom-title","customTitle":"Read to the end"}\n')
  appendFileSync(path, '{"type":"custom-title","customTitle":"This line is not complete')
  age(path)
  await importHome(home, log)
  const [session] = await sessionsOf(log)
  expect(session?.name).toBe('Read to the end')
  const codes = (await eventsOf(log, session?.id ?? '')).flatMap((event) =>
    event.type === 'error' ? [event.code] : [],
  )
  expect(codes).toEqual(['malformed_line', 'line_too_complex', 'line_too_long', 'malformed_line'])
})

test('a name may have any character', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const path = putRecording(home, `${claude}/p-text`, 'n1')
  renameSync(path, path.replace('n1.jsonl', ' $(reboot) “n”\n(.*\u001b[31m.jsonl'))
  await importHome(home, log)
  expect(await sessionsOf(log)).toHaveLength(1)
})

test('a file without a session is read only once', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const path = putRecording(home, `${claude}/p-text`, 'n1')
  writeFileSync(path, 'no session\n'.repeat(3000))
  const begun = performance.now()
  const [count] = await importHome(home, log)
  expect(count).toMatchObject({ read: 0, empty: 1 })
  // Opening it again for each line takes over a minute.
  expect(performance.now() - begun).toBeLessThan(5000)
})

test('of long lines, only a few are in memory', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const path = putRecording(home, `${claude}/p-text`, 'n1')
  for (let index = 0; index < 20; index += 1) {
    const message = { role: 'user', content: 'x'.repeat(2_000_000) }
    appendFileSync(path, `${JSON.stringify({ type: 'user', uuid: `u${index}`, message })}\n`)
  }
  age(path)
  const appended: number[] = []
  const append: Log['append'] = async (id, events) => {
    appended.push(JSON.stringify(events).length)
    await log.append(id, events)
  }
  await importHome(home, { ...log, append })
  expect(appended.length).toBeGreaterThan(4)
})

test('a session that cannot be stored does not keep the others from being read', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  putRecording(home, `${claude}/p-text`, 'n1')
  putRecording(home, 'codex-session-file/0.166.0/parallel', 'n2')
  const path = putRecording(home, `${claude}/p-text`, 'n3')
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(/"sessionId":"[^"]*"/g, '"sessionId":"bad"'),
  )
  age(path)
  const append: Log['append'] = async (id, events) => {
    const record = await log.sessions.get(id)
    if (record?.watched?.nativeId === 'bad') throw new Error('cannot be stored')
    await log.append(id, events)
  }
  const causes: unknown[] = []
  await importHome(home, { ...log, append }, { onError: (cause) => void causes.push(cause) })
  expect(causes).toHaveLength(1)
  expect((await sessionsOf(log)).filter(({ watched }) => watched?.read)).toHaveLength(2)
})

test('an id that is too long or a path is none, and long texts are cut', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const long = 'x'.repeat(100_000)
  for (const [file, sessionId] of [long, '../..', '..', 'good'].entries()) {
    const path = putRecording(home, `${claude}/p-text`, `n${file}`)
    const line = { type: 'user', uuid: 'u', sessionId, cwd: `/${long}` }
    const lines = [
      { ...line, message: { role: 'user', content: 'Hello' } },
      { type: 'custom-title', customTitle: long, sessionId },
    ]
    writeFileSync(path, lines.map((each) => `${JSON.stringify(each)}\n`).join(''))
    age(path)
  }
  const [count] = await importHome(home, log)
  expect(count).toMatchObject({ read: 1, empty: 3 })
  const [session] = await sessionsOf(log)
  expect(session?.watched?.nativeId).toBe('good')
  expect(JSON.stringify(session).length).toBeLessThan(2000)
})

test('the position of a file with the longest name is found again', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const name = `agent-${'\u0001'.repeat(240)}.jsonl`
  putRecording(home, `${claude}/p-text`, 'n1')
  const sample = 'agent-a4c9d97333dc5d232.jsonl'
  putSample(home, sample, `.claude/projects/-home-dev-project/n1/subagents/${name}`)
  await importHome(home, log)
  const [session] = await sessionsOf(log)
  const { offsets } = await storedPositions(log, session?.id ?? '')
  expect([...offsets.keys()].toSorted()).toEqual(['', name])
})

test('the session of a subagent is found without looking through all', async () => {
  const home = agentHome()
  for (let index = 0; index < 30; index += 1) {
    const folder = join(home, 'p', `${index}/subagents`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(home, 'p', `${index}.jsonl`), '')
    writeFileSync(join(folder, 'agent-1.jsonl'), '')
  }
  const tested = vi.spyOn(RegExp.prototype, 'test')
  onTestFinished(() => tested.mockRestore())
  const found = await findSessions(claudeSource, home)
  expect(found.map(({ state }) => state.startsWith('2 '))).toEqual(Array(30).fill(true))
  expect(tested.mock.calls.length).toBeLessThan(200)
})
