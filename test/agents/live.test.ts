import { expect, test } from 'vitest'
import { claudeLive } from '../../src/agents/claude/live.ts'
import type { Command } from '../../src/agents/live.ts'
import { piLive } from '../../src/agents/pi/live.ts'

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

test('Pi: commands are lines with an id', () => {
  expect(piLive.encode(prompt)).toEqual([
    {
      id: '1',
      type: 'prompt',
      message: 'Hi',
      images: [{ type: 'image', data: 'AA', mimeType: 'image/png' }],
    },
  ])
  expect(piLive.encode({ type: 'setModel', id: '2', model: 'anthropic/opus' })).toEqual([
    { id: '2', type: 'set_model', provider: 'anthropic', modelId: 'opus' },
  ])
  expect(piLive.encode({ type: 'compact', id: '3', instructions: 'short' })).toEqual([
    { id: '3', type: 'compact', customInstructions: 'short' },
  ])
})

test('Pi: an answer to our gate is JSON, one to a dialog is what the dialog takes', () => {
  const answer = { action: 'allow', updatedInput: { command: 'pwd' } } as const
  expect(piLive.encode({ type: 'answer', id: '1', request, answer })).toEqual([
    { type: 'extension_ui_response', id: 'q', value: JSON.stringify(answer) },
  ])
  const asked = (kind: string) => ({
    type: 'approval_request' as const,
    kind: 'question' as const,
    approvalId: 'q',
    dialog: { kind, options: ['A', 'B'] },
  })
  const reply = (kind: string, said: { action: 'allow' | 'deny'; value?: string }) =>
    piLive.encode({ type: 'answer', id: '1', request: asked(kind), answer: said })?.[0]
  expect(reply('confirm', { action: 'deny' })).toMatchObject({ confirmed: false })
  expect(reply('select', { action: 'allow', value: 'B' })).toMatchObject({ value: 'B' })
  expect(reply('input', { action: 'deny' })).toMatchObject({ cancelled: true })
  // Whoever only allows has chosen none.
  expect(reply('select', { action: 'allow' })).toMatchObject({ cancelled: true })
})

test('Claude Code: prompts carry their id, answers the input', () => {
  expect(claudeLive.encode(prompt)).toMatchObject([
    { type: 'user', uuid: '1', message: { role: 'user' } },
  ])
  const interrupt = { subtype: 'interrupt', cancel_queued: true }
  expect(claudeLive.encode({ type: 'abort', id: '2', sent: ['s'] })).toMatchObject([
    { request: { subtype: 'cancel_async_message', message_uuid: 's' } },
    { type: 'control_request', request_id: '2', request: interrupt },
  ])
  expect(
    claudeLive.encode({ type: 'answer', id: '3', request, answer: { action: 'allow' } }),
  ).toMatchObject([
    {
      response: {
        request_id: 'q',
        response: { behavior: 'allow', updatedInput: { command: 'ls' } },
      },
    },
  ])
  const denied = { action: 'deny', message: 'No.' } as const
  expect(claudeLive.encode({ type: 'answer', id: '3', request, answer: denied })).toMatchObject([
    { response: { response: { behavior: 'deny', message: 'No.' } } },
  ])
  expect(claudeLive.encode({ type: 'setThinking', id: '4', level: 'high' })).toBeUndefined()
})

test('Claude Code: the answers to its questions go back in the input, as one string each', () => {
  const args = { questions: [{ question: 'Which?', options: [] }] }
  const question: Command = {
    type: 'answer',
    id: '1',
    request: { ...request, kind: 'question', args },
    answer: { action: 'allow', answers: { 'Which?': ['Roses', 'Tulips'] } },
  }
  const updatedInput = { ...args, answers: { 'Which?': 'Roses, Tulips' } }
  expect(claudeLive.encode(question)).toMatchObject([{ response: { response: { updatedInput } } }])
})

test('how they are started, and gone on with', () => {
  expect(piLive.args({ model: 'm', resume: 's', gate: '/gate.js' })).toEqual([
    '--mode',
    'rpc',
    '--model',
    'm',
    '--session',
    's',
    '--extension',
    '/gate.js',
  ])
  expect(claudeLive.args({ resume: 's' })).toEqual(
    expect.arrayContaining(['--permission-prompt-tool', 'stdio', '--resume', 's']),
  )
})

test('behind a summary Pi is asked how full its context is; nothing else is asked for', () => {
  const stats = [{ id: 'stats', type: 'get_session_stats' }]
  expect(piLive.follow?.({ type: 'compaction_end', summary: 's' })).toEqual(stats)
  expect(piLive.follow?.({ type: 'compaction_end', errorMessage: 'failed' })).toEqual([])
  expect(piLive.follow?.({ type: 'agent_end' })).toEqual([])
})
