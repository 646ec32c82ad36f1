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
    const file = { transcript_path: '/home/ann/abc.jsonl' }
    const input = { session_id: 'abc', cwd: '/home/ann', ...file, hook_event_name, ...more }
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
  const notification_type = `ToolPermission${'x'.repeat(1_000_000)}`
  const found = await report('gemini', 'Notification', { notification_type })
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
      const what = { hook_event_name, notification_type: 'ToolPermission' }
      const message = agentHooks[agent]?.read({ session_id: 'abc', cwd, ...what })
      if (message) reports.note(message, agent, pid)
    },
  }
}

test.skipIf(!hasProc)(
  'what hooks report is not lost where the agent leaves no marker',
  async () => {
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
      expect(found).toMatchObject({ state, pid: child.pid })
    }
    child.kill('SIGKILL')
    await eventually(() => expect(states.at(-1)).toBe('gone'))
    expect(states).toEqual(['working', 'waiting', 'idle', 'gone'])
  },
)

test.each(['claude', 'copilot', 'gemini', 'qwen'])(
  'a %s that only says that it is idle, or that a task is done, waits for nobody',
  (agent) => {
    const file = { transcript_path: '/home/ann/abc.jsonl' }
    const notification = { session_id: 'abc', cwd: '/', ...file, hook_event_name: 'Notification' }
    const read = (notification_type: string) =>
      agentHooks[agent]?.read({ ...notification, notification_type })?.type
    for (const each of ['idle_prompt', 'shell_completed', 'agent_idle', 'elicitation_complete'])
      expect(read(each)).toBeUndefined()
    for (const each of ['permission_prompt', 'ToolPermission', 'elicitation_dialog'])
      expect(read(each)).toBe('waiting')
  },
)

test('what another agent passes to the hooks of Claude Code is not read', () => {
  // GitHub Copilot runs those of a project.
  const run = { session_id: 'abc', cwd: '/home/ann', timestamp: '2026-11-19T03:58:54.713Z' }
  const stop = { transcript_path: '/home/ann/.copilot/session-state/abc/events.jsonl' }
  for (const each of [
    { ...run, hook_event_name: 'UserPromptSubmit', prompt: 'hello' },
    { ...run, ...stop, hook_event_name: 'Stop', stop_reason: 'end_turn' },
  ])
    expect(agentHooks.claude?.read(each)).toBeUndefined()
})
