import { describe, expect, test } from 'vitest'
import { connectionEvent } from '../../src/events/event.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { fromSnapshot, type Transcript, toSnapshot } from '../../src/transcript/index.ts'
import { begin, call, close, finish, open, print, start, transcriptOf } from './events.ts'
import { toolIn } from './seen.ts'

const blob = (letter: string, size = 1_008_192) => ({ hash: letter.repeat(64), size })
const named = { toolCallId: 't', toolName: 'write' }
const called = (letter: string): AgentEvent => ({
  type: 'tool_call',
  ...named,
  input: { content: 'beginning' },
  blob: blob(letter),
})
const writing = (letter: string) => ({
  type: 'toolCall' as const,
  id: 't',
  name: 'write',
  arguments: { content: 'beginning' },
  blob: blob(letter),
})
const told: AgentEvent = {
  type: 'tool_result',
  message: {
    role: 'toolResult',
    ...named,
    content: [{ type: 'text', text: 'beginning', blob: blob('c') }],
    contentBlob: blob('d'),
    details: {},
    detailsBlob: blob('e'),
    isError: false,
  },
}

/** The same transcript, by way of what a new connection is sent. */
const reread = (transcript: Transcript): Transcript => {
  const snapshot = toSnapshot(transcript, { projectId: 'p' })
  expect(connectionEvent.parse(JSON.parse(JSON.stringify(snapshot)))).toEqual(snapshot)
  return fromSnapshot(snapshot)
}

describe('what is kept apart', () => {
  test('output that was cut says how much is missing, and names it', () => {
    const cut = { ...print('t', 'x'.repeat(8192)), blob: blob('a') }
    const before = transcriptOf(call('t'), begin('t'), cut, print('t', 'the end\n'))
    const { output, outputBlobs } = toolIn(before)
    expect(output).toBe(`${'x'.repeat(8192)}\n… 1.0 MB more\nthe end\n`)
    expect(outputBlobs).toEqual([blob('a')])
    expect(toolIn(reread(before))).toEqual(toolIn(before))
  })

  test('only the latest pieces of output are remembered', () => {
    const pieces = Array.from({ length: 100 }, (_, size) => ({
      ...print('t', 'x'),
      blob: blob('a', size),
    }))
    const { outputBlobs = [] } = toolIn(transcriptOf(call('t'), ...pieces))
    expect(outputBlobs).toHaveLength(32)
    expect(outputBlobs.at(-1)).toEqual(blob('a', 99))
  })

  test('what a tool showed, until its result takes the place of it', () => {
    const shown = { result: 'beginning', blob: blob('b') }
    const events = [called('a'), { ...print('t', 'x'), blob: blob('f') }, finish('t', shown)]
    const before = transcriptOf(...events)
    expect(toolIn(before)).toMatchObject({ shown: 'beginning', shownBlob: blob('b') })
    expect(toolIn(reread(before))).toEqual(toolIn(before))
    const after = toolIn(transcriptOf(...events, told))
    expect(after).toMatchObject({ result: told.message, argsBlob: blob('a') })
    expect(after).not.toHaveProperty('shownBlob')
    expect(after).not.toHaveProperty('outputBlobs')
  })

  test('arguments come with the name of their whole, and new ones without that of the old', () => {
    expect(toolIn(transcriptOf(called('a'))).argsBlob).toEqual(blob('a'))
    const other = { type: 'tool_execution_start', ...named, args: { content: '' } } as const
    expect(toolIn(transcriptOf(called('a'), other))).not.toHaveProperty('argsBlob')
    const longer = { ...other, blob: blob('b') }
    expect(toolIn(transcriptOf(called('a'), longer)).argsBlob).toEqual(blob('b'))
    const rewritten: AgentEvent = {
      type: 'approval_resolved',
      approvalId: 'p',
      toolCallId: 't',
      action: 'allow',
      outcome: 'answered',
      updatedInput: { content: 'short' },
    }
    const after = toolIn(transcriptOf(called('a'), rewritten))
    expect(after.args).toEqual({ content: 'short' })
    expect(after).not.toHaveProperty('argsBlob')
  })

  test.each(['a', 'b'])('a snapshot keeps arguments and results apart: %s', (letter) => {
    const events = [start, open('m'), close('m', [writing('a')]), called(letter), told]
    const before = transcriptOf(...events)
    const { messages } = toSnapshot(before, { projectId: 'p' })
    // Arguments that the call itself has are told once; the same beginning of others is not the same.
    expect('argsBlob' in (messages[1] ?? {})).toBe(letter === 'b')
    expect(messages).toMatchObject([{ content: [writing('a')] }, told.message])
    expect(toolIn(reread(before))).toEqual(toolIn(before))
    expect(toolIn(reread(before)).argsBlob).toEqual(blob(letter))
  })

  test('a call that is complete before its message', () => {
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
    const { partial } = toSnapshot(reread(transcriptOf(start, open('m'), step)), { projectId: 'p' })
    expect(partial?.content).toEqual([writing('a')])
  })
})
