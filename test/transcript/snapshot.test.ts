import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import {
  applyEvents,
  fromSnapshot,
  streamingMessage,
  toSnapshot,
} from '../../src/transcript/index.ts'
import {
  begin,
  call,
  close,
  delta,
  finish,
  open,
  printOutput,
  result,
  start,
  text,
  transcriptOf,
} from './events.ts'
import { entryLines, firstTool } from './inspect.ts'

const prompt: AgentEvent[] = [
  { type: 'session_start', agent: 'pi', model: 'm', cwd: '/p' },
  start,
  { type: 'message_start', messageRole: 'user', messageId: 'u' },
  { type: 'message_end', messageId: 'u', message: { role: 'user', content: [text('List.')] } },
]
const callBlock = (id: string) => ({
  type: 'toolCall',
  id,
  name: 'bash',
  arguments: { command: 'ls' },
})

test('a reader that connects in the middle of a word gets the whole word', () => {
  const before = transcriptOf(...prompt, open('a'), delta('a', 'Of cou'))
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
  const after = applyEvents(fromSnapshot(snapshot), [delta('a', 'rse.')])
  expect(streamingMessage(after)?.message.content).toEqual([text('Of course.')])
})

test('a result is a message after its call, without the same arguments again', () => {
  const events = [...prompt, open('a'), close('a', [callBlock('t')]), call('t'), begin('t')]
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

test('a result has the arguments that an approval changed', () => {
  const decided: AgentEvent = {
    type: 'approval_resolved',
    approvalId: 'p',
    toolCallId: 't',
    action: 'allow',
    outcome: 'policy',
    updatedInput: { command: 'ls -l' },
  }
  const events = [...prompt, open('a'), close('a', [callBlock('t')]), call('t'), decided]
  const before = transcriptOf(...events, finish('t'), result('t', 'a.txt'))
  const after = fromSnapshot(toSnapshot(before, { projectId: 'p' }))
  expect(firstTool(after)).toMatchObject({
    args: { command: 'ls -l' },
    decision: { action: 'allow', outcome: 'policy' },
  })
})

test('a running tool has its output, and entries keep their order', () => {
  const before = transcriptOf(
    ...prompt,
    open('a'),
    call('t'),
    call('v'),
    printOutput('t', 'half'),
    finish('v'),
    result('v', 'ok'),
    { type: 'error', code: 'torn_line', message: 'Cut off.', fatal: false },
  )
  const snapshot = toSnapshot(before, { projectId: 'p' })
  expect(snapshot.tools).toMatchObject([{ toolCallId: 't', output: 'half', place: 2 }])
  const after = applyEvents(fromSnapshot(snapshot), [printOutput('t', ' and half')])
  expect(entryLines(after)).toEqual(entryLines(before))
  expect(entryLines(after)).toEqual([
    'user: List.',
    'assistant: ',
    't running',
    'v done',
    'error: Cut off.',
  ])
  expect(firstTool(after).output).toBe('half and half')
})
