import { expect, test } from 'vitest'
import type { AgentEvent, AssistantMessageEvent, EventOf } from '../../src/events/types.ts'
import {
  applyEvents,
  entriesOf,
  fromSnapshot,
  streamingMessage,
  type Transcript,
  toSnapshot,
} from '../../src/transcript/index.ts'
import {
  call,
  close,
  delta,
  open,
  printOutput,
  start,
  text,
  transcriptOf,
  wholeMessage,
} from './events.ts'
import { entryLines, firstTool } from './inspect.ts'

test('an open message has the streamed content, and its end replaces it', () => {
  const streamed = [start, open('a'), delta('a', 'Hel'), delta('a', 'lo'), delta('a', 'x', 1)]
  const before = transcriptOf(...streamed)
  expect(streamingMessage(before)?.message.content).toEqual([text('Hello'), text('x')])
  expect(before.turnState).toBe('step_started')
  const after = transcriptOf(...streamed, close('a', [text('Hello.')]))
  expect(streamingMessage(after)).toBeUndefined()
  expect(entryLines(after)).toEqual(['assistant: Hello.'])
})

test('arguments are JSON text while they stream, and a value when they are complete', () => {
  const update = (assistantMessageEvent: AssistantMessageEvent): AgentEvent => ({
    type: 'message_update',
    messageId: 'a',
    assistantMessageEvent,
  })
  const tool = { contentIndex: 0, toolCallId: 't' }
  const events = [
    open('a'),
    update({ type: 'tool_use_start', ...tool, name: 'bash', input: {} }),
    update({ type: 'tool_use_input_delta', ...tool, partialInput: '{"command":' }),
    update({ type: 'tool_use_input_delta', ...tool, partialInput: '"ls"' }),
  ]
  const block = { type: 'toolCall', id: 't', name: 'bash' }
  expect(streamingMessage(transcriptOf(...events))?.message.content).toEqual([
    { ...block, arguments: '{"command":"ls"' },
  ])
  const whole = update({ type: 'tool_use_end', ...tool, name: 'bash', input: { command: 'ls' } })
  expect(streamingMessage(transcriptOf(...events, whole))?.message.content).toEqual([
    { ...block, arguments: { command: 'ls' } },
  ])
})

test('a block can start after blocks that are not streamed', () => {
  const after = transcriptOf(open('a'), delta('a', 'found', 2))
  expect(streamingMessage(after)?.message.content).toEqual([text(''), text(''), text('found')])
  const farAway = transcriptOf(open('a'), delta('a', 'x', 1e9))
  expect(streamingMessage(farAway)?.message.content).toEqual([])
})

test('a sent message is taken or fails, also after a snapshot', () => {
  const sent: AgentEvent[] = [
    start,
    { type: 'message_start', messageRole: 'user', messageId: 'p' },
    close('p', [text('hi')], { role: 'user', delivery: 'sent' }),
  ]
  const delivery = (more: Pick<EventOf<'message_delivery'>, 'state' | 'reason'>): AgentEvent => ({
    type: 'message_delivery',
    messageId: 'p',
    commandId: 'p',
    ...more,
  })
  const messageIn = (transcript: Transcript) => {
    const copy = fromSnapshot(toSnapshot(transcript, { projectId: '/p' }))
    expect(entriesOf(copy)).toEqual(entriesOf(transcript))
    const [entry] = entriesOf(transcript)
    return entry?.kind === 'message' ? entry.message : expect.unreachable()
  }
  expect(messageIn(transcriptOf(...sent))).toMatchObject({ delivery: 'sent' })
  const reason = { code: 'agent_exit', message: 'It exited.' } as const
  const failed = transcriptOf(...sent, delivery({ state: 'failed', reason }))
  expect(messageIn(failed)).toMatchObject({ delivery: 'failed', errorMessage: 'It exited.' })
  const error: AgentEvent = {
    type: 'error',
    code: 'message_interrupted',
    message: 'It exited.',
    fatal: false,
  }
  // The message shows the reason, so a notice would repeat it.
  expect(entryLines(applyEvents(failed, [error]))).toEqual(['user: hi'])
  expect(entryLines(transcriptOf(...sent, error))).toEqual(['user: hi', 'error: It exited.'])
  const taken = applyEvents(failed, [delivery({ state: 'taken' })])
  expect(messageIn(taken)).toEqual({ role: 'user', content: [text('hi')], delivery: 'taken' })
})

test('a withdrawn message is removed, and the others stay', () => {
  const events = [
    ...wholeMessage('a', 'one'),
    ...wholeMessage('b', 'two'),
    ...wholeMessage('c', 'three'),
  ]
  const withdrawn: AgentEvent = { type: 'message_withdrawn', messageId: 'b', reason: 'retried' }
  expect(entryLines(transcriptOf(...events, withdrawn))).toEqual([
    'assistant: one',
    'assistant: three',
  ])
})

test('a withdrawal can keep the first blocks', () => {
  const withdrawn: AgentEvent = {
    type: 'message_withdrawn',
    messageId: 'a',
    reason: 'abandoned',
    fromContentIndex: 1,
  }
  const events = [open('a'), close('a', [text('kept'), text('void'), text('void')]), withdrawn]
  expect(entryLines(transcriptOf(...events))).toEqual(['assistant: kept'])
})

test('an open message can be withdrawn while a tool runs', () => {
  const withdrawn: AgentEvent = { type: 'message_withdrawn', messageId: 'a', reason: 'retried' }
  const after = transcriptOf(open('a'), call('t'), withdrawn, printOutput('t', 'still here'))
  expect(entryLines(after)).toEqual(['t running'])
  expect(firstTool(after).output).toBe('still here')
  expect(streamingMessage(after)).toBeUndefined()
})

test('a message without a start is added at its end', () => {
  expect(entryLines(transcriptOf(delta('a', 'lost'), close('a', [text('whole')])))).toEqual([
    'assistant: whole',
  ])
})
