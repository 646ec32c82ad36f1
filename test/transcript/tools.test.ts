import { describe, expect, test } from 'vitest'
import { interruptCall } from '../../src/events/missing-result.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import {
  entriesOf,
  fromSnapshot,
  outputLimit,
  runningTools,
  threadOf,
  toSnapshot,
  waitsForAnother,
} from '../../src/transcript/index.ts'
import {
  begin,
  call,
  close,
  end,
  finish,
  open,
  printOutput,
  result,
  start,
  text,
  transcriptOf,
  wholeMessage,
  wholeTool,
} from './events.ts'
import { entryLines, firstTool } from './inspect.ts'

const bash = { toolCallId: 't', toolName: 'bash' }

describe('tools', () => {
  test('a tool comes after its message, even if the message ends later', () => {
    const events = [start, open('a'), ...wholeTool('t', 'ok'), close('a', [text('look')])]
    expect(entryLines(transcriptOf(...events))).toEqual(['assistant: look', 't done'])
  })

  test('output grows while a tool runs, and its result replaces the output', () => {
    const running = [call('t'), begin('t'), printOutput('t', 'one\n'), printOutput('t', 'two\n')]
    const before = transcriptOf(...running)
    expect(runningTools(before).map((tool) => tool.output)).toEqual(['one\ntwo\n'])
    const after = transcriptOf(
      ...running,
      finish('t', { exitCode: 3, isError: true, durationMs: 5, result: 'shown' }),
      result('t', 'one\ntwo\n', true),
    )
    expect(runningTools(after)).toEqual([])
    expect(firstTool(after)).toEqual({
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

  test('long output keeps its end, and counts the rest', () => {
    const line = '0123456789abcde\n'.repeat(64)
    const printed = line.repeat(1000)
    const after = transcriptOf(
      call('t'),
      ...Array.from({ length: 1000 }, () => printOutput('t', line)),
    )
    const { output, dropped } = firstTool(after)
    expect(output.length).toBeGreaterThanOrEqual(outputLimit)
    expect(output.length).toBeLessThanOrEqual(2 * outputLimit)
    expect(dropped).toBe(printed.length - output.length)
    expect(printed.endsWith(output)).toBe(true)
  })

  test('output is never cut inside a character', () => {
    const { output, dropped } = firstTool(
      transcriptOf(call('t'), printOutput('t', `x${'😀'.repeat(100_000)}`)),
    )
    expect(output.isWellFormed()).toBe(true)
    expect(output.length + dropped).toBe(200_001)
  })

  test('a tool without a result is interrupted and keeps its output', () => {
    const reported = transcriptOf(
      start,
      call('t'),
      printOutput('t', 'half'),
      finish('t', { interrupted: true }),
    )
    expect(firstTool(reported)).toMatchObject({ status: 'interrupted', output: 'half' })
    const unreported = transcriptOf(start, call('t'), printOutput('t', 'half'), end)
    expect(firstTool(unreported)).toMatchObject({ status: 'interrupted', output: 'half' })
    expect(runningTools(unreported)).toEqual([])
  })

  test('the result of a call that never returned hides nothing, until the agent reports one', () => {
    const cut = [start, call('t'), printOutput('t', 'half'), ...interruptCall(bash)]
    const after = transcriptOf(...cut, end)
    expect(firstTool(after)).toMatchObject({ status: 'interrupted', output: 'half' })
    expect(firstTool(after)?.result).toBeUndefined()
    // An earlier version stored no result: the call looks the same.
    const before = transcriptOf(...cut.slice(0, -1), end)
    expect(entriesOf(after)).toEqual(entriesOf(before))
    const snapshot = toSnapshot(after, { projectId: 'p' })
    expect(snapshot.tools).toMatchObject([{ status: 'interrupted', output: 'half' }])
    expect(entriesOf(fromSnapshot(snapshot))).toEqual(entriesOf(after))
    const late = transcriptOf(...cut, end, start, result('t', 'whole'), end)
    expect(entryLines(late)).toEqual(['t done'])
    expect(firstTool(late)?.result?.content).toEqual([text('whole')])
  })

  test('a tool call id can be reused', () => {
    const after = transcriptOf(...wholeTool('t', 'first'), ...wholeTool('t', 'second'))
    expect(entriesOf(after).map((entry) => entry.kind === 'tool' && entry.result?.content)).toEqual(
      [[text('first')], [text('second')]],
    )
  })

  test('parallel tools have separate output', () => {
    const after = transcriptOf(
      call('t'),
      call('u'),
      printOutput('u', 'U'),
      printOutput('t', 'T'),
      finish('u'),
    )
    expect(entryLines(after)).toEqual(['t running', 'u done'])
    expect(runningTools(after).map((tool) => tool.output)).toEqual(['T'])
  })

  test('a subagent has its own thread', () => {
    const inner = { parentToolCallId: 't' }
    const events: AgentEvent[] = [
      start,
      ...wholeMessage('a', 'ask another'),
      call('t'),
      { type: 'subagent_start', toolCallId: 't', kind: 'explorer', description: 'Look' },
      ...wholeMessage('s', 'I look', inner),
      call('u', inner),
    ]
    const before = transcriptOf(...events)
    expect(entryLines(before)).toEqual(['assistant: ask another', 't running'])
    expect(entryLines(before, 't')).toEqual(['assistant: I look', 'u running'])
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
  const request: AgentEvent = {
    type: 'approval_request',
    kind: 'tool',
    approvalId: 'p',
    toolCallId: 't',
  }

  test('an approval is pending until it is decided, and the tool has the decision', () => {
    const before = transcriptOf(call('t'), request)
    expect(before.approvals).toEqual([
      { approvalId: 'p', kind: 'tool', toolCallId: 't', createdAt: 1002 },
    ])
    const decided: AgentEvent = {
      type: 'approval_resolved',
      approvalId: 'p',
      action: 'allow',
      by: 'ann',
      outcome: 'answered',
      updatedInput: { command: 'ls -l' },
    }
    const after = transcriptOf(call('t'), request, decided)
    expect(after.approvals).toEqual([])
    expect(firstTool(after)).toMatchObject({
      args: { command: 'ls -l' },
      decision: { action: 'allow', by: 'ann', outcome: 'answered' },
    })
  })

  test('a tool knows how long it waited for a person, but not for a rule', () => {
    const decided = (outcome: 'answered' | 'policy'): AgentEvent => ({
      type: 'approval_resolved',
      approvalId: 'p',
      action: 'allow',
      outcome,
    })
    const status: AgentEvent = { type: 'session_update', status: 'waits' }
    const waits = [call('t'), begin('t'), request, status, status]
    const waited = transcriptOf(...waits, decided('answered'), finish('t'), result('t', ''))
    expect(firstTool(waited)).toMatchObject({ startedAt: 1002, endedAt: 1007, waitedMs: 3 })
    expect(firstTool(fromSnapshot(toSnapshot(waited, { projectId: 'p' })))?.waitedMs).toBe(3)
    const byRule = transcriptOf(...waits, decided('policy'))
    expect(firstTool(byRule)?.waitedMs).toBeUndefined()
    // Some agents start a tool only after the decision.
    const later = transcriptOf(call('t'), request, status, decided('answered'), begin('t'))
    expect(firstTool(later)).toMatchObject({ startedAt: 1005 })
    expect(firstTool(later)?.waitedMs).toBeUndefined()
  })

  test('calls behind a call that waits for a person have not begun, and that time is not theirs', () => {
    const resolved: AgentEvent = {
      type: 'approval_resolved',
      approvalId: 'p',
      action: 'allow',
      outcome: 'answered',
    }
    const calls = ['before', 't', 'behind'].flatMap((id) => [call(id), begin(id)])
    const waiting = transcriptOf(...calls, request, { type: 'session_update', status: 'waits' })
    expect(waitsForAnother(waiting, 'behind')).toBe(true)
    expect(waitsForAnother(waiting, 'before')).toBe(false)
    const decided = transcriptOf(...calls, request, resolved)
    expect(waitsForAnother(decided, 'behind')).toBe(false)
    expect(runningTools(decided).map(({ waitedMs }) => waitedMs)).toEqual([undefined, 1, 1])
  })

  test('the time that a budget paused the agent is not part of its calls', () => {
    const paused: AgentEvent = { type: 'approval_request', kind: 'budget', approvalId: 'b' }
    const resolved: AgentEvent = {
      type: 'approval_resolved',
      approvalId: 'b',
      action: 'allow',
      outcome: 'answered',
    }
    const calls = ['t', 'u'].flatMap((id) => [call(id), begin(id)])
    const after = transcriptOf(...calls, paused, { type: 'session_update', status: 's' }, resolved)
    expect(runningTools(after).map(({ waitedMs }) => waitedMs)).toEqual([2, 2])
  })

  test('a call that was stopped stays stopped when its result arrives', () => {
    const stopped = { ...finish('t'), interrupted: true } as AgentEvent
    const failed: AgentEvent = {
      type: 'tool_result',
      message: {
        ...{ role: 'toolResult', toolCallId: 't', toolName: 'bash', isError: true },
        content: [],
      },
    }
    const after = transcriptOf(start, call('t'), begin('t'), stopped, failed)
    expect(firstTool(after)?.status).toBe('interrupted')
    expect(firstTool(fromSnapshot(toSnapshot(after, { projectId: 'p' })))?.status).toBe(
      'interrupted',
    )
  })

  test('the decision about a question has the answers', () => {
    const decided: AgentEvent = {
      type: 'approval_resolved',
      approvalId: 'p',
      action: 'allow',
      outcome: 'answered',
      answers: { 'Which?': ['Roses'] },
    }
    const after = transcriptOf(call('t'), { ...request, kind: 'question' }, decided)
    expect(firstTool(after)?.decision).toMatchObject({ answers: { 'Which?': ['Roses'] } })
  })

  test('a request that an earlier version stored without a kind is about a tool', () => {
    const old: AgentEvent = JSON.parse('{"type":"approval_request","approvalId":"p"}')
    expect(transcriptOf(old).approvals).toMatchObject([{ approvalId: 'p', kind: 'tool' }])
  })

  test('the end of a tool removes its pending approval', () => {
    expect(transcriptOf(call('t'), request, begin('t'), finish('t')).approvals).toEqual([])
  })
})
