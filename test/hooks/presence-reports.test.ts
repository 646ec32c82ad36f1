import { expect, test } from 'vitest'
import { agentHooks } from '../../src/agents/hook-table.ts'
import { createPresenceReports } from '../../src/hooks/presence-reports.ts'
import { openMemoryLog } from '../../src/log/index.ts'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'

const setUp = async () => {
  const log = await openMemoryLog()
  const onError = (cause: unknown) => {
    throw cause
  }
  const ignore = () => {}
  const watched = createWatchedSessions({
    ...{ log, onError, publish: ignore, publishHistory: ignore, notify: ignore },
  })
  const reports = createPresenceReports({ log, watched, onError })
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
