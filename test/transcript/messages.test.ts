import { expect, test } from 'vitest'
import type { AgentEvent, AssistantMessageEvent } from '../../src/events/types.ts'
import { messageInFlight } from '../../src/transcript/index.ts'
import { call, close, delta, open, print, say, start, text, transcriptOf } from './events.ts'
import { textsIn, toolIn } from './seen.ts'

test('the message in flight shows what was streamed; its end replaces that', () => {
  const streamed = [start, open('a'), delta('a', 'Hel'), delta('a', 'lo'), delta('a', 'x', 1)]
  const before = transcriptOf(...streamed)
  expect(messageInFlight(before)?.message.content).toEqual([text('Hello'), text('x')])
  expect(before.turnState).toBe('step_started')
  const after = transcriptOf(...streamed, close('a', [text('Hello.')]))
  expect(messageInFlight(after)).toBeUndefined()
  expect(textsIn(after)).toEqual(['assistant: Hello.'])
})

test('arguments are JSON text while they stream, and a value when they are whole', () => {
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
  expect(messageInFlight(transcriptOf(...events))?.message.content).toEqual([
    { ...block, arguments: '{"command":"ls"' },
  ])
  const whole = update({ type: 'tool_use_end', ...tool, name: 'bash', input: { command: 'ls' } })
  expect(messageInFlight(transcriptOf(...events, whole))?.message.content).toEqual([
    { ...block, arguments: { command: 'ls' } },
  ])
})

test('a block may begin behind one that is not streamed', () => {
  const after = transcriptOf(open('a'), delta('a', 'found', 2))
  expect(messageInFlight(after)?.message.content).toEqual([text(''), text(''), text('found')])
  const mad = transcriptOf(open('a'), delta('a', 'x', 1e9))
  expect(messageInFlight(mad)?.message.content).toEqual([])
})

test('withdrawn text is gone, and its neighbours stay', () => {
  const events = [...say('a', 'one'), ...say('b', 'two'), ...say('c', 'three')]
  const withdrawn: AgentEvent = { type: 'message_withdrawn', messageId: 'b', reason: 'retried' }
  expect(textsIn(transcriptOf(...events, withdrawn))).toEqual([
    'assistant: one',
    'assistant: three',
  ])
})

test('a withdrawal may spare the first blocks', () => {
  const withdrawn: AgentEvent = {
    type: 'message_withdrawn',
    messageId: 'a',
    reason: 'abandoned',
    fromContentIndex: 1,
  }
  const events = [open('a'), close('a', [text('kept'), text('void'), text('void')]), withdrawn]
  expect(textsIn(transcriptOf(...events))).toEqual(['assistant: kept'])
})

test('a withdrawal in mid-message, with a tool that runs on behind it', () => {
  const withdrawn: AgentEvent = { type: 'message_withdrawn', messageId: 'a', reason: 'retried' }
  const after = transcriptOf(open('a'), call('t'), withdrawn, print('t', 'still here'))
  expect(textsIn(after)).toEqual(['t running'])
  expect(toolIn(after).output).toBe('still here')
  expect(messageInFlight(after)).toBeUndefined()
})

test('a message whose start was missed stands where it ended', () => {
  expect(textsIn(transcriptOf(delta('a', 'lost'), close('a', [text('whole')])))).toEqual([
    'assistant: whole',
  ])
})
