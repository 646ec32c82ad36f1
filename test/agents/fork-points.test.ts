import { expect, test } from 'vitest'
import { claudePointIn } from '../../src/agents/claude/fork-points.ts'
import { claude } from '../../src/agents/claude/index.ts'
import { withForkPoints } from '../../src/agents/fork-points.ts'
import type { CommandReply } from '../../src/agents/live.ts'
import { piLive } from '../../src/agents/pi/live.ts'
import type { AgentEvent } from '../../src/events/types.ts'

const connectPi = () => {
  const written: unknown[] = []
  const replies: CommandReply[] = []
  const events: AgentEvent[] = []
  const connection = piLive.connect({
    ...{ cwd: '/', resume: 'source', fork: true, forkAt: 'entry' },
    write: (lines) => written.push(...lines),
    emit: (emitted) => events.push(...emitted),
    onReply: (reply) => replies.push(reply),
  })
  connection.open()
  connection.send({ type: 'prompt', id: 'p', text: 'Hi' })
  const answer = (more: object) =>
    connection.decoder.push({ type: 'response', id: 'quiet-fork', command: 'fork', ...more })
  return { written, replies, events, answer }
}

test('Pi reads nothing before its copy is cut: not even the request for its id', () => {
  const { written, answer } = connectPi()
  expect(written).toEqual([{ id: 'quiet-fork', type: 'fork', entryId: 'entry' }])
  answer({ success: true, data: { text: 'x', cancelled: false } })
  expect(written.slice(1)).toMatchObject([
    { type: 'get_state' },
    { type: 'get_commands' },
    { type: 'prompt', message: 'Hi' },
  ])
})

test.each([
  ['an error', { success: false, error: 'Invalid entry ID for forking' }],
  ['an extension', { success: true, data: { cancelled: true } }],
])('a copy of Pi that %s kept whole gets no prompt', (_, reply) => {
  const { written, replies, events, answer } = connectPi()
  answer(reply)
  expect(written).toHaveLength(1)
  expect(replies.find(({ id }) => id === 'p')).toMatchObject({
    ok: false,
    error: expect.stringContaining('Pi could not go back to the message'),
  })
  expect(events).toMatchObject([{ type: 'error', fatal: false }])
})

test('the points of Claude Code are stored answers and results of the main thread', () => {
  const point = (line: object) => claudePointIn({ uuid: 'u', parent_tool_use_id: null, ...line })
  const result = { content: [{ type: 'tool_result', tool_use_id: 't' }] }
  expect(point({ type: 'assistant' })).toBe('u')
  expect(point({ type: 'user', message: result })).toBe('u')
  expect(point({ type: 'user', message: { content: 'Hi' } })).toBeUndefined()
  expect(point({ type: 'assistant', parent_tool_use_id: 'task' })).toBeUndefined()
  expect(point({ type: 'assistant', local_command_source: 'x' })).toBeUndefined()
  expect(point({ type: 'result' })).toBeUndefined()
  // What came before a compaction cannot be gone back to.
  expect(point({ type: 'system', subtype: 'compact_boundary' })).toBeNull()
})

test('a run ends at the last point before it, and at none after a compaction', () => {
  const end: AgentEvent = { type: 'agent_end' }
  const decoder = withForkPoints({ push: () => [end], end: () => [end] }, (line) =>
    line === null || typeof line === 'string' ? line : undefined,
  )
  expect(decoder.push(0)).toEqual([end])
  expect(decoder.push('a')).toEqual([{ ...end, forkPoint: 'a' }])
  expect(decoder.end()).toEqual([{ ...end, forkPoint: 'a' }])
  expect(decoder.push(null)).toEqual([end])
})

test('a Claude Code that is too old for forks says so', () => {
  const fork = { fork: true } as const
  expect(claude.startProblem?.({}, '1.0.60', fork)).toContain('needs version 1.0.128')
  expect(claude.startProblem?.({}, '1.0.60')).toBeUndefined()
  expect(claude.startProblem?.({}, '1.0.128', fork)).toBeUndefined()
})
