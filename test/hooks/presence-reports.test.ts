import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { agentHooks } from '../../src/agents/hook-table.ts'
import { createPresenceReports } from '../../src/hooks/presence-reports.ts'
import { openMemoryLog } from '../../src/log/index.ts'
import { createPresenceRegistry } from '../../src/presence/presence-registry.ts'
import { hasProc } from '../../src/process/process-table.ts'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import { createPresenceFollower } from '../../src/watch/presence-follower.ts'
import { eventually } from '../support/eventually.ts'

const setUp = async () => {
  const log = await openMemoryLog()
  const onError = (cause: unknown) => {
    throw cause
  }
  const ignore = () => {}
  const watched = createWatchedSessions({
    ...{ log, onError, publish: ignore, publishHistory: ignore, notify: ignore },
  })
  const presence = createPresenceRegistry()
  const reports = createPresenceReports({ log, watched, presence, onError })
  const report = async (agent: string, hook_event_name: string, more: object = {}) => {
    const input = { session_id: 'abc', cwd: '/home/ann', hook_event_name, ...more }
    const message = agentHooks[agent]?.read(input)
    if (!message) throw new Error(`${hook_event_name} is not read`)
    reports.note(message, agent, 4711)
    await reports.settled()
    const [found] = await log.sessions.list()
    return found?.watched?.presence
  }
  return { report }
}

test('a session appears with its first prompt, and shows what its agent does', async () => {
  const { report } = await setUp()
  const pid = 4711
  expect(await report('gemini', 'SessionStart', { source: 'startup' })).toBeUndefined()
  expect(await report('gemini', 'BeforeAgent')).toEqual({ state: 'working', pid })
  const notification = { notification_type: 'ToolPermission' }
  expect(await report('gemini', 'Notification', notification)).toEqual({
    ...{ state: 'waiting', pid },
    waitingFor: 'ToolPermission',
  })
  expect(await report('gemini', 'AfterAgent')).toEqual({ state: 'idle', pid })
  expect(await report('gemini', 'SessionEnd')).toEqual({ state: 'gone', pid })
})

test('what a subagent does is not what the agent does', async () => {
  const { report } = await setUp()
  await report('claude', 'UserPromptSubmit', { prompt: 'hello' })
  expect(await report('claude', 'SubagentStop', { agent_id: 'a1' })).toMatchObject({
    state: 'working',
  })
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' } }
  expect(await report('claude', 'PermissionRequest', call)).toMatchObject({ state: 'waiting' })
  expect(await report('claude', 'PostToolUse', call)).toMatchObject({ state: 'working' })
})

test('a long reason is cut', async () => {
  const { report } = await setUp()
  await report('gemini', 'BeforeAgent')
  const found = await report('gemini', 'Notification', { notification_type: 'x'.repeat(1_000_000) })
  expect(found?.waitingFor).toHaveLength(200)
})

/** A process that only waits, under the name of a program. */
const startAgent = async (name: string) => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-reports-')))
  const program = join(cwd, name)
  copyFileSync(spawnSync('which', ['sleep'], { encoding: 'utf8' }).stdout.trim(), program)
  const child = spawn(program, ['300'], { stdio: 'ignore', cwd })
  await once(child, 'spawn')
  onTestFinished(() => {
    child.kill('SIGKILL')
    rmSync(cwd, { recursive: true })
  })
  return { cwd, child }
}

/** What the list of sessions shows one after the other, while hooks report and processes are looked at. */
const follow = async (agent: string, cwd: string, { pid = 0 }: ChildProcess) => {
  const log = await openMemoryLog()
  const onError = (cause: unknown) => {
    throw cause
  }
  const states: string[] = []
  const watched = createWatchedSessions({
    ...{ log, onError, publish() {}, publishHistory() {} },
    notify(event) {
      if (event.type === 'session_removed') return
      const { state = 'none' } = event.session.watched?.presence ?? {}
      if (state !== 'none' && state !== states.at(-1)) states.push(state)
      follower.onSession(event)
    },
  })
  const presence = createPresenceRegistry({ env: { HOME: cwd }, pollMs: 20 })
  const follower = createPresenceFollower({ log, watched, presence, onError })
  onTestFinished(async () => {
    presence.close()
    await follower.close()
    await watched.close()
  })
  const reports = createPresenceReports({ log, watched, presence, onError })
  return {
    states,
    presence,
    report(hook_event_name: string) {
      const message = agentHooks[agent]?.read({ session_id: 'abc', cwd, hook_event_name })
      if (message) reports.note(message, agent, pid)
    },
  }
}

test.skipIf(!hasProc)('what hooks report is not lost where the agent leaves no marker', async () => {
  const { cwd, child } = await startAgent('gemini')
  const { states, presence, report } = await follow('gemini', cwd, child)
  for (const [event, state] of [
    ['BeforeAgent', 'working'],
    ['Notification', 'waiting'],
    ['AfterAgent', 'idle'],
  ] as const) {
    const before = Date.now()
    report(event)
    await eventually(() => expect(states.at(-1)).toBe(state))
    expect(Date.now() - before).toBeLessThan(1000)
    // Another reading of the processes changes nothing.
    const found = await presence.find({ agent: 'gemini', nativeId: 'abc', cwd })
    expect(found).toEqual({ state, pid: child.pid })
  }
  child.kill('SIGKILL')
  await eventually(() => expect(states.at(-1)).toBe('gone'))
  expect(states).toEqual(['working', 'waiting', 'idle', 'gone'])
})
