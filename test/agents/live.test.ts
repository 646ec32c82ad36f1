import { expect, test } from 'vitest'
import { claudeLive, claudeProtocol } from '../../src/agents/claude/live.ts'
import type { Command } from '../../src/agents/live.ts'
import { piLive, piProtocol } from '../../src/agents/pi/live.ts'

const request = {
  type: 'approval_request',
  kind: 'tool',
  approvalId: 'q',
  toolName: 'Bash',
  args: { command: 'ls' },
} as const
const prompt: Command = {
  type: 'prompt',
  id: '1',
  text: 'Hi',
  images: [{ data: 'AA', mimeType: 'image/png' }],
}

test('Pi: each command is a line with its id', () => {
  expect(piProtocol.encode(prompt)).toEqual([
    {
      id: '1',
      type: 'prompt',
      message: 'Hi',
      images: [{ type: 'image', data: 'AA', mimeType: 'image/png' }],
    },
  ])
  expect(piProtocol.encode({ type: 'setModel', id: '2', model: 'anthropic/opus' })).toEqual([
    { id: '2', type: 'set_model', provider: 'anthropic', modelId: 'opus' },
  ])
  expect(piProtocol.encode({ type: 'compact', id: '3', instructions: 'short' })).toEqual([
    { id: '3', type: 'compact', customInstructions: 'short' },
  ])
})

test('Pi: the reply to our gate is JSON, the reply to a dialog is its value', () => {
  const answer = { action: 'allow', updatedInput: { command: 'pwd' } } as const
  expect(piProtocol.encode({ type: 'answer', id: '1', request, answer })).toEqual([
    { type: 'extension_ui_response', id: 'q', value: JSON.stringify(answer) },
  ])
  const dialogRequest = (kind: string) => ({
    type: 'approval_request' as const,
    kind: 'question' as const,
    approvalId: 'q',
    dialog: { kind, options: ['A', 'B'] },
  })
  const reply = (kind: string, answer: { action: 'allow' | 'deny'; value?: string }) =>
    piProtocol.encode({ type: 'answer', id: '1', request: dialogRequest(kind), answer })?.[0]
  expect(reply('confirm', { action: 'deny' })).toMatchObject({ confirmed: false })
  expect(reply('select', { action: 'allow', value: 'B' })).toMatchObject({ value: 'B' })
  expect(reply('input', { action: 'deny' })).toMatchObject({ cancelled: true })
  // Allowed without a value, nothing was chosen.
  expect(reply('select', { action: 'allow' })).toMatchObject({ cancelled: true })
})

test('Claude Code: prompts carry their id, and allowed calls their input', () => {
  expect(claudeProtocol.encode(prompt)).toMatchObject([
    { type: 'user', uuid: '1', message: { role: 'user' } },
  ])
  const interrupt = { subtype: 'interrupt', cancel_queued: true }
  expect(claudeProtocol.encode({ type: 'abort', id: '2', sent: ['s'] })).toMatchObject([
    { request: { subtype: 'cancel_async_message', message_uuid: 's' } },
    { type: 'control_request', request_id: '2', request: interrupt },
  ])
  expect(
    claudeProtocol.encode({ type: 'answer', id: '3', request, answer: { action: 'allow' } }),
  ).toMatchObject([
    {
      response: {
        request_id: 'q',
        response: { behavior: 'allow', updatedInput: { command: 'ls' } },
      },
    },
  ])
  const denied = { action: 'deny', message: 'No.' } as const
  expect(claudeProtocol.encode({ type: 'answer', id: '3', request, answer: denied })).toMatchObject(
    [{ response: { response: { behavior: 'deny', message: 'No.' } } }],
  )
  expect(claudeProtocol.encode({ type: 'shell', id: '4', command: 'ls' })).toBeUndefined()
})

test('Claude Code: the answers to its questions are in the input, as one string each', () => {
  const args = { questions: [{ question: 'Which?', options: [] }] }
  const question: Command = {
    type: 'answer',
    id: '1',
    request: { ...request, kind: 'question', args },
    answer: { action: 'allow', answers: { 'Which?': ['Roses', 'Tulips'] } },
  }
  const updatedInput = { ...args, answers: { 'Which?': 'Roses, Tulips' } }
  expect(claudeProtocol.encode(question)).toMatchObject([
    { response: { response: { updatedInput } } },
  ])
})

test('Claude Code: an approved plan can change its mode to accept edits', () => {
  const plan = { ...request, kind: 'plan', args: { plan: 'Dig.' } } as const
  const answer = { action: 'allow', acceptEdits: true } as const
  const updatedPermissions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]
  expect(claudeProtocol.encode({ type: 'answer', id: '1', request: plan, answer })).toMatchObject([
    { response: { response: { behavior: 'allow', updatedPermissions } } },
  ])
})

test('both are started with a model and a session to resume', () => {
  expect(piLive.args({ model: 'm', resume: 's', requestApprovals: true })).toEqual([
    '--mode',
    'rpc',
    '--model',
    'm',
    '--session',
    's',
    '--extension',
    expect.stringMatching(/\/src\/agents\/pi\/gate\.js$/),
  ])
  expect(claudeLive.args({ resume: 's' })).toEqual(
    expect.arrayContaining(['--permission-prompt-tool', 'stdio', '--resume', 's']),
  )
})

test('a copy of a conversation is continued under a new id', () => {
  const piArgs = piLive.args({ resume: 's', fork: true })
  expect(piArgs).toEqual(['--mode', 'rpc', '--fork', 's'])
  const claudeArgs = claudeLive.args({ resume: 's', fork: true })
  expect(claudeArgs.join(' ')).toContain('--resume s --fork-session')
})

test('Pi: the context is requested after a compaction, and only then', () => {
  const requests = [
    { id: 'stats', type: 'get_session_stats' },
    { id: 'context', type: 'get_messages' },
  ]
  expect(piProtocol.follow?.({ type: 'compaction_end', summary: 's' })).toEqual(requests)
  expect(piProtocol.follow?.({ type: 'compaction_end', errorMessage: 'failed' })).toEqual([])
  expect(piProtocol.follow?.({ type: 'agent_end' })).toEqual([])
})

test('Claude: the context consists of the categories that take up space', () => {
  const { context } = claudeProtocol
  expect(context?.request('quiet-1')).toMatchObject([{ request: { subtype: 'get_context_usage' } }])
  const categories = [
    { name: 'System prompt', tokens: 2100, kind: 'used' },
    { name: 'MCP tools', tokens: 900, kind: 'deferred', isDeferred: true },
    { name: 'Messages', tokens: 8, kind: 'used' },
    { name: 'Skills', tokens: 0, kind: 'used' },
    { name: 'Free space', tokens: 100_000, kind: 'free' },
    { name: 'Autocompact buffer', tokens: 33_000, kind: 'buffer' },
  ]
  const parts = [
    { name: 'System prompt', tokens: 2100 },
    { name: 'Messages', tokens: 8 },
  ]
  expect(context?.partsIn({ categories })).toEqual(parts)
  // Old versions have no kind.
  const old = categories.map(({ kind: _, ...category }) => category)
  expect(context?.partsIn({ categories: old })).toEqual(parts)
  expect(context?.partsIn(null)).toEqual([])
})
