import { expect, test } from 'vitest'
import { accountOf } from '../support/account.ts'
import { decodeLines } from '../support/recordings.ts'

let count = 0
const line = (type: string, data: object = {}, more: object = {}) => ({
  ...{ type, data, id: `e${count++}`, timestamp: '2026-11-15T22:58:36.907Z', parentId: null },
  ...more,
})
const start = () => line('session.start', { sessionId: 's', copilotVersion: '1.0.102' })
const prompt = (content: string) => line('user.message', { content, delivery: 'idle' })
const turn = (...lines: object[]) => [
  ...[line('assistant.turn_start'), ...lines, line('assistant.turn_end')],
]
const usage = { model: 'm', inputTokens: 10, outputTokens: 5, cacheReadTokens: 4 }
const record = (more: object = {}) => line('session.usage_record', { usage }, more)
const answer = (messageId: string, content: string, toolRequests: object[] = []) =>
  line('assistant.message', { messageId, model: 'm', content, toolRequests })
const request = { toolCallId: 'c', name: 'bash', arguments: { command: 'ls' } }
const call = line('tool.execution_start', { toolCallId: 'c', toolName: 'bash', arguments: {} })
const modelMetrics = { m: { usage: { inputTokens: 20, outputTokens: 10, cacheReadTokens: 8 } } }
const shutdown = () => line('session.shutdown', { shutdownType: 'routine', modelMetrics })

const decode = (lines: readonly unknown[]) => accountOf(decodeLines('copilot', lines))

test('counts each call once, and not the sums at the end of a process', () => {
  const { tokens, answers } = decode([
    ...[start(), prompt('Hi'), ...turn(record(), answer('a', 'Hi'))],
    ...[prompt('More'), ...turn(record(), answer('b', 'More')), shutdown()],
    ...[line('session.resume', {}), prompt('On'), ...turn(record(), answer('c', 'On'))],
  ])
  expect(answers.map((each) => each.usage)).toEqual(
    Array(3).fill({ input: 6, output: 5, cacheRead: 4 }),
  )
  expect(tokens).toMatchObject({ input: 18, output: 15, cacheRead: 12 })
})

test('counts a call whose message did not come', () => {
  const { tokens, ends } = decode([
    ...[start(), prompt('Hi'), line('assistant.turn_start'), record(), record()],
    ...[line('abort', { reason: 'user' }), line('assistant.turn_end'), shutdown()],
  ])
  expect(tokens).toMatchObject({ input: 12, output: 10 })
  expect(ends).toEqual(['aborted'])
})

test('counts the sums if the file has no usage of calls', () => {
  const { tokens } = decode([start(), prompt('Hi'), ...turn(answer('a', 'Hi')), shutdown()])
  expect(tokens).toMatchObject({ input: 12, output: 10, cacheRead: 8 })
})

test('adds the usage of a subagent to its messages', () => {
  const inner = { agentId: 'agent' }
  const { answers, tokens, ends } = decode([
    ...[start(), prompt('Go'), line('assistant.turn_start'), record(), answer('a', '', [request])],
    ...[call, line('subagent.started', { toolCallId: 'c', agentName: 'x' }, inner)],
    ...[line('user.message', { content: 'Work', delivery: 'idle' }, inner)],
    ...[line('assistant.turn_start', {}, inner), record(inner)],
    ...[line('assistant.message', { messageId: 'b', content: 'Done', toolRequests: [] }, inner)],
    ...[
      line('assistant.turn_end', {}, inner),
      line('subagent.completed', { toolCallId: 'c' }, inner),
    ],
    line('tool.execution_complete', {
      toolCallId: 'c',
      success: true,
      result: { content: 'Done' },
    }),
    ...[line('assistant.turn_end'), ...turn(record(), answer('d', 'All done'))],
  ])
  expect(answers).toHaveLength(3)
  expect(tokens).toMatchObject({ input: 18, output: 15 })
  expect(ends).toEqual(['stop'])
})

test('ends the run of a killed process with the next prompt', () => {
  const lines = [start(), prompt('Go'), line('assistant.turn_start'), answer('a', '', [request])]
  const next = [line('session.resume'), prompt('More'), ...turn(answer('b', 'More'))]
  expect(decode([...lines, call, ...next]).ends).toEqual(['interrupted', 'stop'])
})
