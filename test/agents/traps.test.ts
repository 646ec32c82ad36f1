import { describe, expect, test } from 'vitest'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { ofType, textOf } from '../support/decoded.ts'
import { decodeChunks, decodeLines, recording } from '../support/recordings.ts'

/**
 * What misleads readers of these streams. Traps of Gemini CLI, Qwen Code, OpenCode and the Agent Client
 * Protocol are in the tests of those agents.
 */
const recorded = (name: string): AgentEvent[] => {
  const { agent, bytes } = recording(name)
  const events = decodeChunks(agent, [bytes()])
  expect(checkOrder(events)).toEqual([])
  expect(ofType(events, 'raw')).toEqual([])
  return events
}

const endOf = (events: readonly AgentEvent[]) => ofType(events, 'agent_end')
const resultsOf = (events: readonly AgentEvent[]) => ofType(events, 'tool_result')

describe('Copilot', () => {
  const copilot = (name: string) => recorded(`copilot/1.0.102/${name}`)

  test('exit 0 on failure: a run that was stopped reports an exit code of 0', () => {
    expect(endOf(copilot('sigint-midstream-native'))).toMatchObject([{ stopReason: 'aborted' }])
  })

  test('exit 0 on failure: a command that fails is a success with an exit code', () => {
    const shell = { shellExecution: { exitCode: 3 }, toolCallId: 'c', toolName: 'bash' }
    const result = { success: true, result: { content: 'before' }, ...shell }
    const events = decodeLines('copilot', [
      { type: 'assistant.turn_start', data: {} },
      { type: 'tool.execution_start', data: { toolCallId: 'c', toolName: 'bash', arguments: {} } },
      { type: 'tool.execution_complete', data: result },
      { type: 'result', exitCode: 0 },
    ])
    expect(ofType(events, 'tool_execution_end')).toMatchObject([{ exitCode: 3, isError: true }])
    expect(resultsOf(events)).toMatchObject([{ message: { isError: true } }])
    expect(endOf(events)).toMatchObject([{ stopReason: 'stop' }])
  })

  test('partial text then retry: the first attempt is withdrawn', () => {
    const events = copilot('stream-drop')
    expect(ofType(events, 'message_withdrawn')).toHaveLength(1)
    expect(ofType(events, 'auto_retry_end')).toMatchObject([{ success: true }])
    expect(textOf(events)).toBe('Second attempt ok.')
  })

  test('errors that are not fatal: a failed call is retried, and the run succeeds', () => {
    const events = copilot('api-error-retry-ok')
    expect(ofType(events, 'error')).toEqual([])
    expect(endOf(events)).toMatchObject([{ stopReason: 'stop' }])
  })

  test('retries that are used up end the run with the reason', () => {
    const events = copilot('api-error-exhausted')
    expect(ofType(events, 'auto_retry_start')).toHaveLength(5)
    expect(endOf(events)).toMatchObject([
      { stopReason: 'error', errorMessage: expect.stringContaining('retried 5 times') },
    ])
  })

  test('output that is printed as a delta and as a snapshot is shown once', () => {
    const deltas = ofType(copilot('shell-tool'), 'tool_execution_update')
    expect(deltas.map(({ outputDelta }) => outputDelta).join('')).toBe('hi-from-tool\nerr-line\n')
  })

  test('thinking that is printed after the message stands before its text', () => {
    const { message } = ofType(copilot('reasoning-text'), 'message_end').at(-1) ?? {}
    expect(message?.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
  })

  test('the id of the session is only in the last line: a killed run has none', () => {
    expect(ofType(copilot('text-only'), 'session_update').at(-1)?.nativeId).toBeDefined()
    const killed = copilot('sigint-midstream-group')
    expect(endOf(killed)).toHaveLength(1)
    expect(JSON.stringify(ofType(killed, 'session_update'))).not.toContain('nativeId')
  })
})

describe('Cline', () => {
  const cline = (name: string) => recorded(`cline/3.0.65/${name}`)

  test('errors that are not fatal: a failed tool is an error event, and the run completes', () => {
    for (const name of ['shell-tool-fail', 'tool-unknown', 'approval-off']) {
      const events = cline(name)
      expect(resultsOf(events)).toMatchObject([{ message: { isError: true } }])
      expect(ofType(events, 'error')).toEqual([])
      expect(endOf(events)).toMatchObject([{ stopReason: 'stop' }])
    }
  })

  test('exit 0 on failure: a stream that stops without a result was interrupted', () => {
    const whole = recording('cline/3.0.65/multi-turn').bytes().toString('utf8')
    const lines = whole.split('\n').filter((line) => !line.includes('"run_result"'))
    const events = decodeChunks('cline', [Buffer.from(lines.slice(0, -4).join('\n'))])
    expect(endOf(events)).toMatchObject([{ stopReason: 'interrupted' }])
  })

  test('the parts of a text are starts, and are shown once, also with the whole text', () => {
    expect(textOf(cline('reasoning-text'))).toBe('The answer is 42.')
  })

  test('thinking that ends after the text stands before it', () => {
    const { message } = ofType(cline('reasoning-text'), 'message_end').at(-1) ?? {}
    expect(message?.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
  })

  test('the exit code of a command is only in words', () => {
    expect(ofType(cline('shell-tool-fail'), 'tool_execution_end')).toMatchObject([{ exitCode: 3 }])
  })

  test('a cost of zero is no cost', () => {
    const usages = ofType(cline('multi-turn'), 'message_end').map(({ message }) => message.usage)
    expect(usages.filter((usage) => usage?.cost !== undefined)).toEqual([])
  })
})

describe('Codex', () => {
  test('tool failures that are invisible: the run has no call, and no error', () => {
    const names = ['tool-unknown', 'tool-bad-args', 'escalation-refused'].map(
      (name) => `codex/0.166.0/${name}`,
    )
    for (const name of [...names, 'codex-app-server/0.166.0/tool-unknown']) {
      const events = recorded(name)
      expect(ofType(events, 'tool_call')).toEqual([])
      expect(ofType(events, 'error')).toEqual([])
      expect(endOf(events)).toMatchObject([{ stopReason: 'stop' }])
    }
  })

  test('output that was lost while it was live is in the result', () => {
    const events = recorded('codex-app-server/0.166.0/shell-tool')
    const live = ofType(events, 'tool_execution_update').map(({ outputDelta }) => outputDelta)
    const whole = JSON.stringify(resultsOf(events).map(({ message }) => message.content))
    for (const tick of ['tick 1', 'tick 2']) expect(whole).toContain(tick)
    expect(live.join('')).not.toContain('tick 1')
  })

  test('a run that was interrupted has a message that nothing ends', () => {
    const events = recorded('codex-app-server/0.166.0/interrupt-midstream')
    expect(endOf(events)).toMatchObject([{ stopReason: 'aborted' }])
    expect(ofType(events, 'message_end').at(-1)?.message.stopReason).toBe('aborted')
  })
})
