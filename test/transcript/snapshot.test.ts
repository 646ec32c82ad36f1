import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { applyAll, fromSnapshot, messageInFlight, toSnapshot } from '../../src/transcript/index.ts'
import {
  begin,
  call,
  close,
  delta,
  finish,
  open,
  print,
  result,
  start,
  text,
  transcriptOf,
} from './events.ts'
import { textsIn, toolIn } from './seen.ts'

const asked: AgentEvent[] = [
  { type: 'session_start', agent: 'pi', model: 'm', cwd: '/p' },
  start,
  { type: 'message_start', messageRole: 'user', messageId: 'u' },
  { type: 'message_end', messageId: 'u', message: { role: 'user', content: [text('List.')] } },
]
const calling = (id: string) => ({
  type: 'toolCall',
  id,
  name: 'bash',
  arguments: { command: 'ls' },
})

test('a reader that connects in mid-word sees the whole word', () => {
  const before = transcriptOf(...asked, open('a'), delta('a', 'Of cou'))
  const snapshot = toSnapshot(before, { projectId: 'p' })
  expect(snapshot).toEqual({
    type: 'snapshot',
    sessionId: 's',
    projectId: 'p',
    messages: [{ role: 'user', content: [text('List.')], messageId: 'u', startedAt: 1003 }],
    partial: {
      role: 'assistant',
      content: [text('Of cou')],
      messageId: 'a',
      startedAt: 1005,
      place: 1,
    },
    tools: [],
    notices: [],
    isStreaming: true,
    seq: 6,
    agent: 'pi',
    model: 'm',
    cwd: '/p',
    queued: { steering: [], followUp: [] },
    approvals: [],
    context: null,
    turnState: 'step_started',
    tasks: [],
    backgroundTasks: [],
  })
  const after = applyAll(fromSnapshot(snapshot), [delta('a', 'rse.')])
  expect(messageInFlight(after)?.message.content).toEqual([text('Of course.')])
})

test('a result is a message behind its call; arguments are told once', () => {
  const events = [...asked, open('a'), close('a', [calling('t')]), call('t'), begin('t')]
  const done = [finish('t', { exitCode: 0 }), result('t', 'a.txt')]
  const { messages, tools } = toSnapshot(transcriptOf(...events, ...done), { projectId: 'p' })
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'toolResult'])
  expect(messages[2]).toEqual({
    role: 'toolResult',
    toolCallId: 't',
    toolName: 'bash',
    content: [text('a.txt')],
    isError: false,
    exitCode: 0,
    startedAt: 1008,
    endedAt: 1009,
  })
  expect(tools).toEqual([])
})

test('arguments that were changed on the way are kept', () => {
  const decided: AgentEvent = {
    type: 'approval_resolved',
    approvalId: 'p',
    toolCallId: 't',
    action: 'allow',
    outcome: 'policy',
    updatedInput: { command: 'ls -l' },
  }
  const events = [...asked, open('a'), close('a', [calling('t')]), call('t'), decided]
  const before = transcriptOf(...events, finish('t'), result('t', 'a.txt'))
  const after = fromSnapshot(toSnapshot(before, { projectId: 'p' }))
  expect(toolIn(after)).toMatchObject({
    args: { command: 'ls -l' },
    decision: { action: 'allow', outcome: 'policy' },
  })
})

test('what runs comes with its output, and everything keeps its place', () => {
  const before = transcriptOf(
    ...asked,
    open('a'),
    call('t'),
    call('v'),
    print('t', 'half'),
    finish('v'),
    result('v', 'ok'),
    { type: 'error', code: 'torn_line', message: 'Cut off.', fatal: false },
  )
  const snapshot = toSnapshot(before, { projectId: 'p' })
  expect(snapshot.tools).toMatchObject([{ toolCallId: 't', output: 'half', place: 2 }])
  const after = applyAll(fromSnapshot(snapshot), [print('t', ' and half')])
  expect(textsIn(after)).toEqual(textsIn(before))
  expect(textsIn(after)).toEqual([
    'user: List.',
    'assistant: ',
    't running',
    'v done',
    'error: Cut off.',
  ])
  expect(toolIn(after).output).toBe('half and half')
})
