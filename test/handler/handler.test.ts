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

const shown = (name: string, colour = false) => {
  let text = ''
  const write = (piece: string) => {
    text += piece
  }
  play(consoleHandler({ write, style: createStyle(colour) }), eventsOf(name))
  return text
}

/** Notes every call. */
const noting = () => {
  const calls: unknown[][] = []
  const note =
    (name: string) =>
    (...given: unknown[]) =>
      void calls.push([name, ...given])
  const handler: StreamHandler = {
    onText: note('text'),
    onThinking: note('thinking'),
    onToolCall: note('call'),
    onToolResult: note('result'),
    onError: note('error'),
    onComplete: note('complete'),
  }
  return { calls, handler }
}

describe('dispatch', () => {
  test('gives text, thinking, calls and results in order, and completes once', () => {
    const { calls, handler } = noting()
    play(handler, eventsOf('pi/1.5.0/tool-fail'))
    const names = calls.map(([name]) => name)
    expect(names.filter((name) => name === 'complete')).toHaveLength(1)
    expect(names.indexOf('call')).toBeLessThan(names.indexOf('result'))
    const result = calls.find(([name]) => name === 'result')
    expect(result?.[2]).toContain('Command exited with code 3')
    expect(result?.[3]).toBe(true)
  })

  test('a subagent’s text is not the agent’s', () => {
    const { calls, handler } = noting()
    play(handler, eventsOf('claude/2.1.325/agent-forward'))
    const said = calls.flatMap(([name, text]) => (name === 'text' ? [text] : [])).join('')
    expect(said).not.toContain('Counting files now.')
  })

  test('an agent that failed is told as an error; one that recovered is not', () => {
    const failed = noting()
    play(failed.handler, eventsOf('pi/1.5.0/retry-exhaust'))
    expect(failed.calls.filter(([name]) => name === 'error')).toHaveLength(1)
    const recovered = noting()
    play(recovered.handler, eventsOf('pi/1.5.0/retry-midstream'))
    expect(recovered.calls.filter(([name]) => name === 'error')).toHaveLength(0)
  })
})

describe('the result', () => {
  test('tells text, cost, turns, usage, context and duration', () => {
    const result = play(noting().handler, eventsOf('claude/2.1.325/bash'))
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

  test('leaves withdrawn attempts out of the text', () => {
    const result = play(noting().handler, eventsOf('pi/1.5.0/retry-midstream'))
    expect(result.text).toBe('Second try complete.')
  })

  test('of a stream that was cut is an error', () => {
    const result = play(noting().handler, eventsOf('pi/0.87.1/sigterm-in-tool'))
    expect(result).toMatchObject({ isError: true, stopReason: 'interrupted' })
  })

  test('can be awaited', async () => {
    const output = createStreamOutput(handlerSink(noting().handler), () => 0)
    output.end()
    await expect(output.completed).resolves.toMatchObject({ turns: 0, costUsd: null })
  })
})

describe('console', () => {
  test('shows text, a line for each tool, its output, and the summary', () => {
    const text = shown('pi/1.5.0/tool-fail')
    expect(text).toContain('● bash ')
    expect(text).toContain('  │ to-stdout')
    expect(text).toContain('✗ bash failed')
    expect(text.trimEnd().split('\n').at(-1)).toMatch(
      /^✓ Duration 1\.5 s · Cost \$\d\.\d+ · Turns 2 · Context /,
    )
  })

  test('a failed tool repeats nothing of what it streamed, and adds what is new', () => {
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

  test('says that nothing ran where nothing did, and gives no tick', () => {
    let text = ''
    const write = (piece: string) => {
      text += piece
    }
    const error = { code: 'malformed_line', message: 'A line of 7 bytes is not JSON.' } as const
    play(consoleHandler({ write, style: createStyle(false) }), [
      { type: 'error', ...error, fatal: false },
    ])
    expect(text).toBe(
      '✗ A line of 7 bytes is not JSON.\n\n– There is no run of an agent in this stream.\n',
    )
  })

  test('says how much of an output is kept apart', () => {
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

  test('without colour there is no escape, and with it there is', () => {
    expect(shown('pi/1.5.0/text-only')).not.toContain('\u001b')
    expect(shown('pi/1.5.0/text-only', true)).toContain('\u001b[32m✓')
  })
})

test('quiet prints the final text and nothing else', () => {
  let text = ''
  play(
    quietHandler((piece) => {
      text += piece
    }),
    eventsOf('claude/2.1.325/agents2'),
  )
  expect(text).toBe('Two subagents in parallel.\nBoth subagents reported.\n')
})

test('json prints one event per line', () => {
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
})

test('the summary says what is unknown instead of inventing it', () => {
  const result = play(noting().handler, [])
  expect(summaryLine(result)).toBe('Duration 1.5 s · Cost unknown · Turns 0 · Context unknown')
})

describe('isComplete', () => {
  test.each([
    ['Done.\n\nLOOP_COMPLETE\n\n', true],
    ['LOOP_COMPLETE', true],
    ['  LOOP_COMPLETE  ', true],
    ['LOOP_COMPLETE\nnot yet', false],
    ['I will say LOOP_COMPLETE', false],
    ['LOOP_COMPLETED', false],
    ['', false],
  ])('%j is %s', (text, complete) => {
    expect(endsWithPromise(text, 'LOOP_COMPLETE')).toBe(complete)
  })
})
