import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { entriesOf, outputLimit, runningTools, threadOf } from '../../src/transcript/index.ts'
import {
  begin,
  call,
  close,
  end,
  finish,
  open,
  print,
  result,
  say,
  start,
  text,
  transcriptOf,
  work,
} from './events.ts'
import { textsIn, toolIn } from './seen.ts'

describe('tools', () => {
  test('a tool stands behind its message, also when it ends before that does', () => {
    const events = [start, open('a'), ...work('t', 'ok'), close('a', [text('look')])]
    expect(textsIn(transcriptOf(...events))).toEqual(['assistant: look', 't done'])
  })

  test('output grows while it runs; the result takes its place', () => {
    const running = [call('t'), begin('t'), print('t', 'one\n'), print('t', 'two\n')]
    const before = transcriptOf(...running)
    expect(runningTools(before).map((tool) => tool.output)).toEqual(['one\ntwo\n'])
    const after = transcriptOf(
      ...running,
      finish('t', { exitCode: 3, isError: true, durationMs: 5, result: 'shown' }),
      result('t', 'one\ntwo\n', true),
    )
    expect(runningTools(after)).toEqual([])
    expect(toolIn(after)).toEqual({
      kind: 'tool',
      toolCallId: 't',
      toolName: 'bash',
      status: 'failed',
      args: { command: 'ls' },
      output: '',
      dropped: 0,
      result: {
        role: 'toolResult',
        toolCallId: 't',
        toolName: 'bash',
        content: [text('one\ntwo\n')],
        isError: true,
      },
      exitCode: 3,
      isError: true,
      durationMs: 5,
      startedAt: 1002,
      endedAt: 1005,
    })
  })

  test('of long output the end is kept, and the rest counted', () => {
    const piece = '0123456789abcde\n'.repeat(64)
    const printed = piece.repeat(1000)
    const after = transcriptOf(call('t'), ...Array.from({ length: 1000 }, () => print('t', piece)))
    const { output, dropped } = toolIn(after)
    expect(output.length).toBeGreaterThanOrEqual(outputLimit)
    expect(output.length).toBeLessThanOrEqual(2 * outputLimit)
    expect(dropped).toBe(printed.length - output.length)
    expect(printed.endsWith(output)).toBe(true)
  })

  test('a cut never halves a character', () => {
    const { output, dropped } = toolIn(
      transcriptOf(call('t'), print('t', `x${'😀'.repeat(100_000)}`)),
    )
    expect(output.isWellFormed()).toBe(true)
    expect(output.length + dropped).toBe(200_001)
  })

  test('a tool that never gave a result is interrupted, and keeps what it printed', () => {
    const told = transcriptOf(
      start,
      call('t'),
      print('t', 'half'),
      finish('t', { interrupted: true }),
    )
    expect(toolIn(told)).toMatchObject({ status: 'interrupted', output: 'half' })
    const untold = transcriptOf(start, call('t'), print('t', 'half'), end)
    expect(toolIn(untold)).toMatchObject({ status: 'interrupted', output: 'half' })
    expect(runningTools(untold)).toEqual([])
  })

  test('an id may be used again', () => {
    const after = transcriptOf(...work('t', 'first'), ...work('t', 'second'))
    expect(entriesOf(after).map((entry) => entry.kind === 'tool' && entry.result?.content)).toEqual(
      [[text('first')], [text('second')]],
    )
  })

  test('parallel tools keep apart', () => {
    const after = transcriptOf(call('t'), call('u'), print('u', 'U'), print('t', 'T'), finish('u'))
    expect(textsIn(after)).toEqual(['t running', 'u done'])
    expect(runningTools(after).map((tool) => tool.output)).toEqual(['T'])
  })

  test('what a subagent does is a thread of its own', () => {
    const inner = { parentToolCallId: 't' }
    const events: AgentEvent[] = [
      start,
      ...say('a', 'ask another'),
      call('t'),
      { type: 'subagent_start', toolCallId: 't', kind: 'explorer', description: 'Look' },
      ...say('s', 'I look', inner),
      call('u', inner),
    ]
    const before = transcriptOf(...events)
    expect(textsIn(before)).toEqual(['assistant: ask another', 't running'])
    expect(textsIn(before, 't')).toEqual(['assistant: I look', 'u running'])
    const subagent = { kind: 'explorer', description: 'Look', isRunning: true }
    expect(threadOf(before, 't')?.subagent).toEqual(subagent)
    const over: AgentEvent = { type: 'subagent_end', toolCallId: 't', isError: false }
    expect(threadOf(transcriptOf(...events, over), 't')?.subagent).toEqual({
      ...subagent,
      isRunning: false,
      isError: false,
    })
  })
})

describe('approvals', () => {
  const ask: AgentEvent = {
    type: 'approval_request',
    kind: 'tool',
    approvalId: 'p',
    toolCallId: 't',
  }

  test('a question waits until it is decided, and the tool keeps by whom', () => {
    const before = transcriptOf(call('t'), ask)
    expect(before.approvals).toEqual([{ approvalId: 'p', kind: 'tool', toolCallId: 't' }])
    const decided: AgentEvent = {
      type: 'approval_resolved',
      approvalId: 'p',
      action: 'allow',
      by: 'ann',
      outcome: 'answered',
      updatedInput: { command: 'ls -l' },
    }
    const after = transcriptOf(call('t'), ask, decided)
    expect(after.approvals).toEqual([])
    expect(toolIn(after)).toMatchObject({
      args: { command: 'ls -l' },
      decision: { action: 'allow', by: 'ann', outcome: 'answered' },
    })
  })

  test('a question keeps its answers', () => {
    const decided: AgentEvent = {
      type: 'approval_resolved',
      approvalId: 'p',
      action: 'allow',
      outcome: 'answered',
      answers: { 'Which?': ['Roses'] },
    }
    const after = transcriptOf(call('t'), { ...ask, kind: 'question' }, decided)
    expect(toolIn(after)?.decision).toMatchObject({ answers: { 'Which?': ['Roses'] } })
  })

  test('a request that an earlier version stored without a kind is about a tool', () => {
    const old: AgentEvent = JSON.parse('{"type":"approval_request","approvalId":"p"}')
    expect(transcriptOf(old).approvals).toEqual([{ approvalId: 'p', kind: 'tool' }])
  })

  test('nobody need answer for a tool that has ended', () => {
    expect(transcriptOf(call('t'), ask, begin('t'), finish('t')).approvals).toEqual([])
  })
})
