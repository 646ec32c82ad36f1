import { describe, expect, test } from 'vitest'
import { connectionEvent } from '../../src/events/event.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { fromSnapshot, type Transcript, toSnapshot } from '../../src/transcript/index.ts'
import { begin, call, close, finish, open, printOutput, start, transcriptOf } from './events.ts'
import { firstTool } from './inspect.ts'

const blob = (letter: string, size = 1_008_192) => ({ hash: letter.repeat(64), size })
const tool = { toolCallId: 't', toolName: 'write' }
const callWithBlob = (letter: string): AgentEvent => ({
  type: 'tool_call',
  ...tool,
  input: { content: 'beginning' },
  blob: blob(letter),
})
const callBlock = (letter: string) => ({
  type: 'toolCall' as const,
  id: 't',
  name: 'write',
  arguments: { content: 'beginning' },
  blob: blob(letter),
})
const resultEvent: AgentEvent = {
  type: 'tool_result',
  message: {
    role: 'toolResult',
    ...tool,
    content: [{ type: 'text', text: 'beginning', blob: blob('c') }],
    contentBlob: blob('d'),
    details: {},
    detailsBlob: blob('e'),
    isError: false,
  },
}

/** The same transcript, restored from its snapshot. */
const restored = (transcript: Transcript): Transcript => {
  const snapshot = toSnapshot(transcript, { projectId: 'p' })
  expect(connectionEvent.parse(JSON.parse(JSON.stringify(snapshot)))).toEqual(snapshot)
  return fromSnapshot(snapshot)
}

describe('large payloads', () => {
  test('the preview of an output states its missing size, and its blob is listed', () => {
    const preview = { ...printOutput('t', 'x'.repeat(8192)), blob: blob('a') }
    const before = transcriptOf(call('t'), begin('t'), preview, printOutput('t', 'the end\n'))
    const { output, outputBlobs } = firstTool(before)
    expect(output).toBe(`${'x'.repeat(8192)}\n… 1.0 MB more\nthe end\n`)
    expect(outputBlobs).toEqual([blob('a')])
    expect(firstTool(restored(before))).toEqual(firstTool(before))
  })

  test('only the latest blobs of an output are listed', () => {
    const outputs = Array.from({ length: 100 }, (_, size) => ({
      ...printOutput('t', 'x'),
      blob: blob('a', size),
    }))
    const { outputBlobs = [] } = firstTool(transcriptOf(call('t'), ...outputs))
    expect(outputBlobs).toHaveLength(32)
    expect(outputBlobs.at(-1)).toEqual(blob('a', 99))
  })

  test('the displayed result has its blob until the result message replaces it', () => {
    const shown = { result: 'beginning', blob: blob('b') }
    const events = [
      callWithBlob('a'),
      { ...printOutput('t', 'x'), blob: blob('f') },
      finish('t', shown),
    ]
    const before = transcriptOf(...events)
    expect(firstTool(before)).toMatchObject({ shown: 'beginning', shownBlob: blob('b') })
    expect(firstTool(restored(before))).toEqual(firstTool(before))
    const after = firstTool(transcriptOf(...events, resultEvent))
    expect(after).toMatchObject({ result: resultEvent.message, argsBlob: blob('a') })
    expect(after).not.toHaveProperty('shownBlob')
    expect(after).not.toHaveProperty('outputBlobs')
  })

  test('new arguments replace the blob of the old ones', () => {
    expect(firstTool(transcriptOf(callWithBlob('a'))).argsBlob).toEqual(blob('a'))
    const other = { type: 'tool_execution_start', ...tool, args: { content: '' } } as const
    expect(firstTool(transcriptOf(callWithBlob('a'), other))).not.toHaveProperty('argsBlob')
    const longer = { ...other, blob: blob('b') }
    expect(firstTool(transcriptOf(callWithBlob('a'), longer)).argsBlob).toEqual(blob('b'))
    const rewritten: AgentEvent = {
      type: 'approval_resolved',
      approvalId: 'p',
      toolCallId: 't',
      action: 'allow',
      outcome: 'answered',
      updatedInput: { content: 'short' },
    }
    const after = firstTool(transcriptOf(callWithBlob('a'), rewritten))
    expect(after.args).toEqual({ content: 'short' })
    expect(after).not.toHaveProperty('argsBlob')
  })

  test.each(['a', 'b'])('a snapshot keeps the blobs of arguments and results: %s', (letter) => {
    const events = [
      start,
      open('m'),
      close('m', [callBlock('a')]),
      callWithBlob(letter),
      resultEvent,
    ]
    const before = transcriptOf(...events)
    const { messages } = toSnapshot(before, { projectId: 'p' })
    // The result repeats the arguments only if their blob differs from that of the call.
    expect('argsBlob' in (messages[1] ?? {})).toBe(letter === 'b')
    expect(messages).toMatchObject([{ content: [callBlock('a')] }, resultEvent.message])
    expect(firstTool(restored(before))).toEqual(firstTool(before))
    expect(firstTool(restored(before)).argsBlob).toEqual(blob(letter))
  })

  test('a streaming message has the blob of a complete call', () => {
    const step: AgentEvent = {
      type: 'message_update',
      messageId: 'm',
      assistantMessageEvent: {
        type: 'tool_use_end',
        contentIndex: 0,
        toolCallId: 't',
        name: 'write',
        input: { content: 'beginning' },
        blob: blob('a'),
      },
    }
    const { partial } = toSnapshot(restored(transcriptOf(start, open('m'), step)), {
      projectId: 'p',
    })
    expect(partial?.content).toEqual([callBlock('a')])
  })
})
