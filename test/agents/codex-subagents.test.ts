import { expect, test } from 'vitest'
import { createCodexDecoder } from '../../src/agents/codex/decode.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { createLedger } from '../../src/ledger/index.ts'
import { ofType } from '../support/decoded.ts'

/** Lines as Codex 0.166.0 prints them when a subagent works, without the fields that nobody reads. */
const line = (method: string, threadId: string, params: object = {}) => ({
  method,
  params: { threadId, ...params },
})
const item = (method: 'item/started' | 'item/completed', threadId: string, about: object) =>
  line(method, threadId, { item: about })
const both = (threadId: string, about: object) => [
  item('item/started', threadId, about),
  item('item/completed', threadId, about),
]
const tokens = (inputTokens: number, outputTokens: number) => ({
  totalTokens: inputTokens + outputTokens,
  ...{ inputTokens, outputTokens, cachedInputTokens: 0 },
})
const usage = (threadId: string, total: [number, number], last: [number, number]) =>
  line('thread/tokenUsage/updated', threadId, {
    tokenUsage: { total: tokens(...total), last: tokens(...last) },
  })

const activity = {
  type: 'subAgentActivity',
  ...{ id: 'call_1', kind: 'started', agentThreadId: 'child', agentPath: '/root/child' },
  model: 'gpt-5.5',
}
const command = { type: 'commandExecution', id: 'c1', command: 'echo hi', cwd: '/p' }

const start = [
  { id: 1, result: { thread: { id: 'main', cwd: '/p' }, model: 'gpt-6' } },
  line('turn/started', 'main', { turn: { id: 't1' } }),
  ...both('main', activity),
  line('turn/started', 'child', { turn: { id: 't2' } }),
  usage('main', [100, 10], [100, 10]),
]
const work = [
  item('item/started', 'child', { type: 'agentMessage', id: 'm1', text: '' }),
  line('item/agentMessage/delta', 'child', { itemId: 'm1', delta: 'I ' }),
  item('item/started', 'main', { type: 'agentMessage', id: 'm0', text: '' }),
  line('item/agentMessage/delta', 'main', { itemId: 'm0', delta: 'Both.' }),
  line('item/agentMessage/delta', 'child', { itemId: 'm1', delta: 'look.' }),
  item('item/completed', 'child', { type: 'agentMessage', id: 'm1', text: 'I look.' }),
  item('item/started', 'child', { ...command, status: 'inProgress' }),
  usage('child', [200, 20], [200, 20]),
  item('item/completed', 'child', { ...command, status: 'completed', exitCode: 0 }),
]
const ending = [
  line('turn/completed', 'child', { turn: { id: 't2', status: 'completed' } }),
  ...both('main', { ...activity, id: 'subagent-completed-t2', kind: 'completed', model: null }),
  item('item/completed', 'main', { type: 'agentMessage', id: 'm0', text: 'Both.' }),
  usage('main', [150, 15], [50, 5]),
  line('turn/completed', 'main', { turn: { id: 't1', status: 'completed' } }),
]

const decode = (lines: readonly unknown[]): AgentEvent[] => {
  const decoder = createCodexDecoder()
  return [...lines.flatMap((each) => decoder.push(each)), ...decoder.end()]
}

test('the thread of a subagent is shown inside the call that started it', () => {
  const events = decode([...start, ...work, ...ending])
  expect(checkOrder(events)).toEqual([])
  expect(ofType(events, 'raw')).toEqual([])
  expect(ofType(events, 'tool_call')).toMatchObject([
    { toolName: 'spawn_agent', toolCallId: 'call_1', input: { agent: '/root/child' } },
    { toolName: 'command_execution', parentToolCallId: 'call_1' },
  ])
  const ends = ofType(events, 'message_end').map(({ parentToolCallId, message }) => [
    parentToolCallId,
    message.content.filter(({ type }) => type === 'text'),
  ])
  expect(ends).toContainEqual(['call_1', [{ type: 'text', text: 'I look.' }]])
  expect(ends).toContainEqual([undefined, [{ type: 'text', text: 'Both.' }]])
  expect(ofType(events, 'subagent_start')).toMatchObject([{ description: '/root/child' }])
  expect(ofType(events, 'subagent_end')).toMatchObject([{ toolCallId: 'call_1', isError: false }])
})

test('the tokens of a subagent are counted once, beside those of the main thread', () => {
  const ledger = createLedger()
  for (const event of decode([...start, ...work, ...ending])) ledger.add(event)
  expect(ledger.totals()).toMatchObject({ input: 350, output: 35 })
})

test('a subagent that dies with the process is closed', () => {
  const events = decode([...start, ...work.slice(0, 7)])
  expect(checkOrder(events)).toEqual([])
  expect(ofType(events, 'subagent_end')).toMatchObject([{ isError: true }])
  expect(ofType(events, 'tool_execution_end').at(-1)).toMatchObject({ interrupted: true })
})

test('a subagent may work on after the run, and again', () => {
  const again = [
    line('turn/started', 'child', { turn: { id: 't3' } }),
    item('item/completed', 'child', { type: 'agentMessage', id: 'm9', text: 'Later.' }),
    line('turn/completed', 'child', {
      turn: { id: 't3', status: 'failed', error: { message: 'no' } },
    }),
  ]
  const events = decode([...start, ...work, ...ending, ...again])
  expect(checkOrder(events)).toEqual([])
  expect(ofType(events, 'subagent_end').map(({ isError }) => isError)).toEqual([false, true])
})

test('a request of a subagent names its call and shows its edit', () => {
  const change = {
    type: 'fileChange',
    id: 'f1',
    changes: [{ path: '/p/a', kind: 'add', diff: 'x' }],
  }
  const request = {
    id: 0,
    method: 'item/fileChange/requestApproval',
    params: { threadId: 'child', itemId: 'f1' },
  }
  const events = decode([...start, item('item/started', 'child', change), request])
  expect(ofType(events, 'approval_request')).toMatchObject([
    { parentToolCallId: 'call_1', args: { changes: [{ path: '/p/a' }] } },
  ])
})

test('older releases name the thread in the call', () => {
  const call = {
    type: 'collabAgentToolCall',
    ...{ id: 'call_1', tool: 'spawnAgent', prompt: 'Look.', receiverThreadIds: ['child'] },
  }
  const [opened = {}, turn = {}] = start
  const lines = [opened, turn, ...both('main', { ...call, status: 'completed' }), ...start.slice(4)]
  const events = decode([...lines, ...work, ...ending])
  expect(checkOrder(events)).toEqual([])
  expect(ofType(events, 'subagent_start')).toMatchObject([{ prompt: 'Look.' }])
})
