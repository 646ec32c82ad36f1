import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import {
  consoleHandler,
  createStreamOutput,
  createStyle,
  endsWithPromise,
  handlerSink,
  jsonSink,
  quietHandler,
  type RunResult,
  type StreamHandler,
  summaryLine,
} from '../../src/handler/index.ts'
import { createLedger, insertUsageUpdates } from '../../src/ledger/index.ts'
import { decodeChunks, recording } from '../support/recordings.ts'

const eventsOf = (name: string): AgentEvent[] => {
  const { agent, bytes } = recording(name)
  return insertUsageUpdates(createLedger(), decodeChunks(agent, [bytes()]))
}

const play = (handler: StreamHandler, events: readonly AgentEvent[]): RunResult => {
  let clock = 0
  const output = createStreamOutput(handlerSink(handler), () => clock)
  for (const event of events) output.push(event)
  clock = 1500
  return output.end()
}

const consoleText = (name: string, colour = false) => {
  let text = ''
  const write = (piece: string) => {
    text += piece
  }
  play(consoleHandler({ write, style: createStyle(colour) }), eventsOf(name))
  return text
}

/** A handler that records every call. */
const recordCalls = () => {
  const calls: unknown[][] = []
  const record =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args])
  const handler: StreamHandler = {
    onText: record('text'),
    onThinking: record('thinking'),
    onToolCall: record('call'),
    onToolResult: record('result'),
    onError: record('error'),
    onComplete: record('complete'),
  }
  return { calls, handler }
}

describe('dispatch', () => {
  test('calls the handler in the order of the events, and completes once', () => {
    const { calls, handler } = recordCalls()
    play(handler, eventsOf('pi/1.5.0/tool-fail'))
    const names = calls.map(([name]) => name)
    expect(names.filter((name) => name === 'complete')).toHaveLength(1)
    expect(names.indexOf('call')).toBeLessThan(names.indexOf('result'))
    const result = calls.find(([name]) => name === 'result')
    expect(result?.[2]).toContain('Command exited with code 3')
    expect(result?.[3]).toBe(true)
  })

  test('does not report text of a subagent', () => {
    const { calls, handler } = recordCalls()
    play(handler, eventsOf('claude/2.1.325/agent-forward'))
    const text = calls.flatMap(([name, text]) => (name === 'text' ? [text] : [])).join('')
    expect(text).not.toContain('Counting files now.')
  })

  test('reports a failed run as an error, but not one that recovered', () => {
    const failed = recordCalls()
    play(failed.handler, eventsOf('pi/1.5.0/retry-exhaust'))
    expect(failed.calls.filter(([name]) => name === 'error')).toHaveLength(1)
    const recovered = recordCalls()
    play(recovered.handler, eventsOf('pi/1.5.0/retry-midstream'))
    expect(recovered.calls.filter(([name]) => name === 'error')).toHaveLength(0)
  })
})

describe('the result of a stream', () => {
  test('has text, cost, turns, usage, context and duration', () => {
    const result = play(recordCalls().handler, eventsOf('claude/2.1.325/bash'))
    expect(result).toMatchObject({
      durationMs: 1500,
      turns: 2,
      isError: false,
      stopReason: 'stop',
      usage: { input: 8, output: 60 },
      context: { window: 1_000_000 },
    })
    expect(result.text).toContain('The command printed hello and Linux.')
    expect(result.costUsd).toBeCloseTo(0.018764, 6)
  })

  test('leaves withdrawn messages out of the text', () => {
    const result = play(recordCalls().handler, eventsOf('pi/1.5.0/retry-midstream'))
    expect(result.text).toBe('Second try complete.')
  })

  test('is an error if the stream was cut off', () => {
    const result = play(recordCalls().handler, eventsOf('pi/0.87.1/sigterm-in-tool'))
    expect(result).toMatchObject({ isError: true, stopReason: 'interrupted' })
  })

  test('can be awaited', async () => {
    const output = createStreamOutput(handlerSink(recordCalls().handler), () => 0)
    output.end()
    await expect(output.completed).resolves.toMatchObject({ turns: 0, costUsd: null })
  })
})

describe('console', () => {
  test('prints text, a line for each tool, its output, and the summary', () => {
    const text = consoleText('pi/1.5.0/tool-fail')
    expect(text).toContain('● bash ')
    expect(text).toContain('  │ to-stdout')
    expect(text).toContain('✗ bash failed')
    expect(text.trimEnd().split('\n').at(-1)).toMatch(
      /^✓ Duration 1\.5 s · Cost \$\d\.\d+ · Turns 2 · Context /,
    )
  })

  test('does not repeat the streamed output of a failed tool, but adds the rest of its result', () => {
    let text = ''
    const write = (piece: string) => {
      text += piece
    }
    const handler = consoleHandler({ write, style: createStyle(false) })
    handler.onToolCall('bash', 'a', { command: 'make' })
    handler.onToolOutput?.('a', 'one\n')
    handler.onToolOutput?.('a', 'two\n')
    handler.onToolResult('a', 'one\ntwo\n\nCommand exited with code 2', true)
    handler.onToolCall('bash', 'b', { command: 'test' })
    handler.onToolOutput?.('b', 'three\n')
    handler.onToolResult('b', '  timed out', true)
    expect(text.split('\n')).toEqual([
      '● bash make',
      '  │ one',
      '  │ two',
      '  │ Command exited with code 2',
      '  ✗ bash failed',
      '● bash test',
      '  │ three',
      '  │   timed out',
      '  ✗ bash failed',
      '',
    ])
  })

  test('states that the stream has no run, without a tick', () => {
    let text = ''
    const write = (piece: string) => {
      text += piece
    }
    const error = { code: 'malformed_line', message: 'A line of 7 bytes is not JSON.' } as const
    play(consoleHandler({ write, style: createStyle(false) }), [
      { type: 'error', ...error, fatal: false },
    ])
    expect(text).toBe(
      '✗ A line of 7 bytes is not JSON.\n\n– The stream contains no run of an agent.\n',
    )
  })

  test('states the size of the output that is not shown', () => {
    const call = { toolCallId: 't', toolName: 'bash' }
    const blob = { hash: 'a'.repeat(64), size: 1_234_567 }
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n')
    let text = ''
    const write = (piece: string) => {
      text += piece
    }
    const content = [{ type: 'text', text: lines, blob }]
    play(consoleHandler({ write, style: createStyle(false) }), [
      { type: 'tool_call', ...call, input: {} },
      { type: 'tool_execution_update', ...call, outputDelta: 'printed', blob },
      { type: 'tool_execution_update', ...call, outputDelta: 'more\n' },
      { type: 'tool_execution_end', ...call, result: { content }, isError: true },
      { type: 'tool_execution_end', ...call, result: 'shown', blob, isError: true },
    ])
    expect(text).toContain('  │ printed\n  │ … 1.2 MB more\n  │ more\n')
    expect(text).toContain('  │ line 7\n  │ … 12 more lines\n  │ … 1.2 MB more\n')
    expect(text).toContain('  │ shown\n  │ … 1.2 MB more\n')
  })

  test('prints escape codes only with colour', () => {
    expect(consoleText('pi/1.5.0/text-only')).not.toContain('\u001b')
    expect(consoleText('pi/1.5.0/text-only', true)).toContain('\u001b[32m✓')
  })
})

test('the quiet handler prints only the final text', () => {
  let text = ''
  play(
    quietHandler((piece) => {
      text += piece
    }),
    eventsOf('claude/2.1.325/agents2'),
  )
  expect(text).toBe('Both subagents reported.\n')
})

test('the JSON sink prints one event per line', () => {
  let text = ''
  const output = createStreamOutput(
    jsonSink((piece) => {
      text += piece
    }),
    () => 0,
  )
  output.push({ type: 'agent_start' })
  output.push({ type: 'agent_end', stopReason: 'stop' })
  output.end()
  expect(text).toBe('{"type":"agent_start"}\n{"type":"agent_end","stopReason":"stop"}\n')
  text = ''
  output.push({ type: 'raw', agent: 'pi', line: 'a\u2028b\u0085c' })
  expect(text).toContain(String.raw`"a\u2028b\u0085c"`)
})

test('the summary states what is unknown', () => {
  const result = play(recordCalls().handler, [])
  expect(summaryLine(result)).toBe('Duration 1.5 s · Cost unknown · Turns 0 · Context unknown')
})

describe('endsWithPromise', () => {
  test.each([
    ['Done.\n\nLOOP_COMPLETE\n\n', true],
    ['LOOP_COMPLETE', true],
    ['  LOOP_COMPLETE  ', true],
    ['LOOP_COMPLETE\nnot yet', false],
    ['I will say LOOP_COMPLETE', false],
    ['LOOP_COMPLETED', false],
    ['', false],
    ['Done.\r\nLOOP_COMPLETE\r\n', true],
    ['```\nLOOP_COMPLETE', false],
    ['```text\nLOOP_COMPLETE\n```', false],
    ['~~~~\n```\nLOOP_COMPLETE', false],
    ['````\n```\nLOOP_COMPLETE', false],
    ['```sh\nmake\n```\nLOOP_COMPLETE', true],
    ['Run ```make``` first.\n```make```\nLOOP_COMPLETE', true],
    ['Print this:\n\n    LOOP_COMPLETE', false],
    ['\tLOOP_COMPLETE', false],
    ['> LOOP_COMPLETE', false],
    ['> The prompt says\nLOOP_COMPLETE', false],
    ['> The prompt says so.\n\nLOOP_COMPLETE', true],
    ['<pre>\nLOOP_COMPLETE', false],
    ['<blockquote>a</blockquote>\nLOOP_COMPLETE', true],
    ['`LOOP_COMPLETE`', false],
    ['**LOOP_COMPLETE**', false],
    ['“LOOP_COMPLETE”', false],
  ])('%j is %s', (text, complete) => {
    expect(endsWithPromise(text, 'LOOP_COMPLETE')).toBe(complete)
  })
})

test('a run that ends with the error before it does not repeat the error', () => {
  const { handler, calls } = recordCalls()
  const message = 'It exited.'
  const end: AgentEvent = { type: 'agent_end', stopReason: 'error', errorMessage: message }
  const error: AgentEvent = { type: 'error', code: 'agent_exit', message, fatal: false }
  play(handler, [{ type: 'agent_start' }, error, end, { type: 'agent_start' }, end])
  expect(calls.filter(([name]) => name === 'error')).toEqual([
    ['error', message],
    ['error', message],
  ])
})

test('two answers in a row have an empty line between them', () => {
  let text = ''
  const handler = consoleHandler({
    write(piece) {
      text += piece
    },
    style: createStyle(false),
  })
  const answer = (id: string, delta: string): AgentEvent[] => [
    { type: 'message_update', messageId: id, assistantMessageEvent: textDelta(delta) },
    {
      type: 'message_end',
      messageId: id,
      message: { role: 'assistant', content: [{ type: 'text', text: delta }] },
    },
  ]
  play(handler, [...answer('1', 'The first.'), ...answer('2', 'The second.')])
  expect(text).toContain('The first.\n\nThe second.\n')
})

const textDelta = (delta: string) => ({ type: 'text_delta', contentIndex: 0, delta }) as const
