import { expect, test } from 'vitest'
import { codexHooks } from '../../src/agents/codex/hooks.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { callKeyOf, createCallBook } from '../../src/hooks/call-book.ts'
import { createTerminalQuestions } from '../../src/hooks/terminal-questions.ts'
import { inputOf, request } from './hook-rig.ts'

const ask = async (waitSeconds: number, input: object = {}) => {
  const waits = { terminal: waitSeconds, subagent: 0.05, print: waitSeconds }
  const hooks = { ...codexHooks, waits }
  const events: AgentEvent[] = []
  const emit = (event: AgentEvent) => void events.push(event)
  const calls = createCallBook()
  const questions = createTerminalQuestions({
    ...{ sessionId: 's', hooks, calls, emit, now: Date.now },
  })
  const message = codexHooks.read({ ...request, tool_use_id: 'call_1', ...input })
  if (message?.type !== 'request') throw new Error('no request')
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const sender = { agent: 'codex', hooks, scope: 'user', isAttended: true, pid: process.pid }
  await questions.ask(message, sender, { settle: resolve, isGone: () => false })
  return { questions, events, output: promise }
}

test('a question that nobody answers in time goes on in the terminal', async () => {
  const { events, output } = await ask(0.05)
  expect(await output).toBeUndefined()
  expect(events).toMatchObject([
    { type: 'approval_request', toolCallId: 'call_1', timeoutMs: 50 },
    { type: 'approval_resolved', toolCallId: 'call_1', action: 'deny', outcome: 'expired' },
  ])
})

test('the first answer counts', async () => {
  const { questions, events, output } = await ask(60)
  const [asked] = events
  if (asked?.type !== 'approval_request') throw new Error('nothing was asked')
  expect(questions.answer('another', { action: 'allow' })).toBeUndefined()
  expect(questions.answer(asked.approvalId, { action: 'allow', by: 'ann' })).toBeDefined()
  expect(questions.answer(asked.approvalId, { action: 'deny' })).toBeUndefined()
  expect(JSON.parse((await output) ?? '')).toEqual({
    hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
  })
  questions.withdrawAll('The end.')
  expect(events).toHaveLength(2)
})

test('what is kept of a call is short', () => {
  const call = { toolName: 'Write', args: { content: 'x'.repeat(1_000_000) } }
  const key = callKeyOf(call, undefined)
  expect(key?.length).toBeLessThan(100)
  expect(callKeyOf({ ...call }, '')).toBe(key)
  expect(callKeyOf(call, 'a1')).not.toBe(key)
})

test('a question of a subagent waits for less long, where the terminal asks after it', async () => {
  const { events, output } = await ask(60, { agent_id: 'a1' })
  expect(await output).toBeUndefined()
  expect(events).toMatchObject([{ timeoutMs: 50 }, { outcome: 'expired' }])
})

test.each([
  ['another prompt closes a question', {}, 'p2', 'cancelled'],
  ['the same prompt does not', {}, 'p1', undefined],
  ['another prompt does not close that of a subagent', { agent_id: 'a1' }, 'p2', undefined],
])('%s', async (_, input, prompt_id, outcome) => {
  const { questions, events } = await ask(60, { prompt_id: 'p1', ...input })
  const prompt = codexHooks.read({ ...inputOf('UserPromptSubmit'), prompt_id })
  if (prompt) questions.report(prompt)
  const resolved = events.find(({ type }) => type === 'approval_resolved')
  expect(resolved).toEqual(outcome && expect.objectContaining({ outcome, by: 'agent' }))
  questions.withdrawAll('The end.')
})
