import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { createLedger } from '../../src/ledger/index.ts'
import { answer, assistant, init, result, text, use } from '../support/claude-lines.ts'
import { decoderOf, ofType } from '../support/decoded.ts'

const decode = decoderOf('claude')

const user = (content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  isReplay: true,
  ...more,
})
const synthetic = (id: string, value: string) => ({
  type: 'assistant',
  message: { id, model: '<synthetic>', content: [text(value)] },
  parent_tool_use_id: null,
  local_command_source: `<local-command-stdout>${value}</local-command-stdout>`,
})
const lastTotals = (events: readonly AgentEvent[]) => {
  const ledger = createLedger()
  for (const event of events) ledger.add(event)
  return ledger.totals()
}
describe('what a result reports', () => {
  const times = (durationMs: number, apiMs: number, turns: number) => ({
    duration_ms: durationMs,
    duration_api_ms: apiMs,
    num_turns: turns,
    total_cost_usd: 0.01,
    modelUsage: {},
  })

  test('durations and turns stand at the end of the run and in the totals', () => {
    const events = decode(
      init,
      assistant('m', text('one')),
      result(times(300, 100, 1)),
      init,
      assistant('n', text('two')),
      result(times(200, 160, 2)),
    )
    // The duration of model calls grows over the process: the second run has only its own part.
    expect(ofType(events, 'agent_end')).toMatchObject([
      { durationMs: 300, durationApiMs: 100, numTurns: 1 },
      { durationMs: 200, durationApiMs: 60, numTurns: 2 },
    ])
    expect(lastTotals(events)).toMatchObject({ durationMs: 500, durationApiMs: 160, numTurns: 3 })
  })

  test('after /clear, the duration of model calls starts at zero', () => {
    const events = decode(
      init,
      assistant('m', text('one')),
      result(times(300, 100, 1)),
      { type: 'conversation_reset', new_conversation_id: 'c' },
      result(times(5, 0, 0)),
      init,
      assistant('n', text('two')),
      result(times(200, 40, 1)),
    )
    expect(lastTotals(events)).toMatchObject({ durationApiMs: 140, numTurns: 2 })
  })

  test('a local command has no turns: old releases count all messages then', () => {
    const events = decode(init, synthetic('s', 'Total cost'), result(times(5, 0, 9)))
    expect(ofType(events, 'agent_end')[0]).not.toHaveProperty('numTurns')
  })

  test('web searches of the provider are counted, by message and by model', () => {
    const serverTools = { server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 } }
    const message = {
      ...{ id: 'm', model: 'opus', content: [text('found')], stop_reason: 'end_turn' },
      usage: { input_tokens: 1, output_tokens: 5, ...serverTools },
    }
    const modelUsage = { opus: { inputTokens: 1, outputTokens: 5, webSearchRequests: 2 } }
    const events = decode(init, { type: 'assistant', message }, result({ modelUsage }))
    expect(ofType(events, 'message_end')[0]?.message.usage).toMatchObject({
      webSearchRequests: 2,
      webFetchRequests: 1,
    })
    expect(lastTotals(events)).toMatchObject({ webSearchRequests: 2, webFetchRequests: 1 })
  })
})

test('messages and results have the time of the agent’s clock', () => {
  const at = { timestamp: '2026-01-02T03:04:05.678Z' }
  const events = decode(
    init,
    user([text('Hi')], at),
    assistant('m', use('a'), at),
    { ...answer('a', 'done'), ...at },
    result(),
  )
  const time = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
  expect(ofType(events, 'message_end').map(({ message }) => message.timestamp)).toEqual([
    time,
    time,
  ])
  expect(ofType(events, 'tool_result')[0]?.message.timestamp).toBe(time)
})

describe('subagents', () => {
  const inside = (parent: string) => ({ parent_tool_use_id: parent })
  const request = (id: string, toolUseId: string | undefined, more: object = {}) => ({
    type: 'control_request',
    request_id: id,
    request: {
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      input: {},
      tool_use_id: toolUseId,
      ...more,
    },
  })
  const started = (taskId: string, toolUseId: string) => ({
    ...{ type: 'system', subtype: 'task_started', task_id: taskId, tool_use_id: toolUseId },
    description: 'Count files',
  })

  test('their text, thinking, approvals and ends have the call that they belong to', () => {
    const events = decode(
      init,
      assistant('m', use('outer', 'Agent', { description: 'Outer' })),
      assistant('n', use('inner', 'Agent', { description: 'Inner' }), inside('outer')),
      assistant('o', { type: 'thinking', thinking: 'hm' }, inside('inner')),
      assistant('o', text('on it'), inside('inner')),
      assistant('o', use('bash'), inside('inner')),
      request('r', 'bash'),
      { ...answer('bash', 'ok'), ...inside('inner') },
      { ...answer('inner', 'report'), ...inside('outer') },
      answer('outer', 'report'),
      result(),
    )
    expect(ofType(events, 'approval_request')).toMatchObject([{ parentToolCallId: 'inner' }])
    expect(ofType(events, 'subagent_end')).toEqual([
      { type: 'subagent_end', toolCallId: 'inner', isError: false, parentToolCallId: 'outer' },
      { type: 'subagent_end', toolCallId: 'outer', isError: false },
    ])
    const spoken = ofType(events, 'message_end').filter((each) => each.parentToolCallId === 'inner')
    expect(spoken[0]?.message.content.map(({ type }) => type)).toEqual([
      'thinking',
      'text',
      'toolCall',
    ])
  })

  test('an approval for a call that was not printed belongs to the subagent’s call', () => {
    const events = decode(
      init,
      assistant('m', use('outer', 'Agent')),
      started('task', 'hidden'),
      request('r', 'unseen', { agent_id: 'task' }),
      { type: 'control_cancel_request', request_id: 'r' },
      answer('outer', 'report'),
      result(),
    )
    expect(ofType(events, 'approval_request')).toMatchObject([{ parentToolCallId: 'hidden' }])
    expect(ofType(events, 'approval_resolved')).toMatchObject([{ parentToolCallId: 'hidden' }])
  })

  test('what a task does at the moment does not replace what it should do', () => {
    const progress = {
      ...{ type: 'system', subtype: 'task_progress', task_id: 'task', tool_use_id: 'outer' },
      description: 'Running ls',
    }
    const events = decode(
      init,
      assistant('m', use('outer', 'Agent')),
      started('task', 'outer'),
      progress,
    )
    const updates = ofType(events, 'session_update').flatMap(({ task }) => task ?? [])
    expect(updates.slice(0, 2)).toMatchObject([
      { description: 'Count files' },
      { activity: 'Running ls' },
    ])
    expect(updates[1]).not.toHaveProperty('description')
  })
})

test('a server that did not start is named once', () => {
  const servers = [
    { name: 'broken', status: 'failed' },
    { name: 'fine', status: 'connected' },
    { name: 'mail', status: 'needs-auth' },
  ]
  const withServers = { ...init, mcp_servers: servers }
  const events = decode(withServers, result(), withServers, result())
  expect(ofType(events, 'session_update').flatMap(({ notice }) => notice ?? [])).toEqual([
    { level: 'warning', text: expect.stringContaining('“broken” did not start') },
    { level: 'warning', text: expect.stringContaining('“mail” needs you to sign in') },
  ])
})

test('the permission mode and its changes are part of the session', () => {
  const events = decode(
    { ...init, permissionMode: 'plan' },
    { type: 'system', subtype: 'status', status: null, permissionMode: 'acceptEdits' },
    result(),
    { ...init, permissionMode: 'default' },
    result(),
  )
  const modes = events.flatMap((event) =>
    event.type === 'session_start' || event.type === 'session_update'
      ? (event.permissionMode ?? [])
      : [],
  )
  expect(modes).toEqual(['plan', 'acceptEdits', 'default'])
})

test('a hook that fails is a notice, because it can block what it was asked about', () => {
  const hook = {
    type: 'system',
    hook_id: 'h',
    hook_name: 'PreToolUse:Bash',
    hook_event: 'PreToolUse',
  }
  const events = decode(
    init,
    { ...hook, subtype: 'hook_started' },
    { ...hook, subtype: 'hook_response', outcome: 'error', exit_code: 2, stderr: 'not here\n' },
    result(),
  )
  expect(ofType(events, 'session_update').filter((event) => event.hook)).toMatchObject([
    { hook: { name: 'PreToolUse:Bash', status: 'started' } },
    {
      hook: { name: 'PreToolUse:Bash', status: 'error', exitCode: 2 },
      notice: {
        level: 'warning',
        text: 'The hook PreToolUse:Bash refused it: not here',
      },
    },
  ])
})
