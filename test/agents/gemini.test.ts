import { describe, expect, test } from 'vitest'
import { geminiCommand } from '../../src/agents/gemini/command.ts'
import { gemini } from '../../src/agents/gemini/index.ts'
import { geminiLive } from '../../src/agents/gemini/live.ts'
import { checkOrder } from '../../src/events/order.ts'
import { ofType, textOf } from '../support/decoded.ts'
import { decodeLines } from '../support/recordings.ts'

const init = { type: 'init', session_id: 's', model: 'gemini-2.5-flash' }
const says = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true })
const use = (tool_id: string) => ({
  type: 'tool_use',
  tool_name: 'run_shell_command',
  tool_id,
  parameters: { command: 'ls' },
})
const returned = (tool_id: string, more: object = {}) => ({
  type: 'tool_result',
  tool_id,
  status: 'success',
  output: 'x',
  ...more,
})
const counts = { total_tokens: 150, input_tokens: 100, output_tokens: 30, cached: 40, input: 60 }
const result = (more: object = {}) => ({
  type: 'result',
  status: 'success',
  stats: { ...counts, duration_ms: 5, models: { 'gemini-2.5-flash': counts } },
  ...more,
})
const decoded = (...lines: object[]) => {
  const events = decodeLines('gemini', [init, ...lines])
  expect(checkOrder(events)).toEqual([])
  return events
}

describe('traps of Gemini CLI', () => {
  test('an error with the severity `warning` is not fatal', () => {
    const warning = { type: 'error', severity: 'warning', message: 'A loop was detected.' }
    const events = decoded(says('Hi'), warning, says(' there.'), result())
    expect(textOf(events)).toBe('Hi there.')
    expect(events).toContainEqual({
      type: 'session_update',
      notice: { level: 'warning', text: 'A loop was detected.' },
    })
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'stop' })
  })

  test('a result that says `error` fails the run, although the program exits with 0', () => {
    const error = { type: 'error', severity: 'error', message: 'The response was empty.' }
    expect(decoded(error, result({ status: 'error' })).at(-1)).toMatchObject({
      stopReason: 'error',
      errorMessage: 'The response was empty.',
    })
  })

  test('a stream that stops without a result was interrupted', () => {
    const events = decoded(says('Hi'), use('a'))
    expect(ofType(events, 'tool_result')).toMatchObject([{ message: { interrupted: true } }])
    expect(events.at(-1)).toMatchObject({ stopReason: 'interrupted', interrupted: true })
  })

  test('a silent retry leaves no mark: its text follows, in the same message, once', () => {
    const events = decoded(says('Partial '), says('text '), says('Second attempt.'), result())
    expect(textOf(events)).toBe('Partial text Second attempt.')
    expect(ofType(events, 'message_end')).toHaveLength(1)
  })

  test('a command that fails is a success without an exit code', () => {
    const [end] = ofType(decoded(use('a'), returned('a'), result()), 'tool_execution_end')
    expect(end).toMatchObject({ isError: false })
    expect(end?.exitCode).toBeUndefined()
  })
})

test('the result of a call that was never announced starts the call', () => {
  expect(ofType(decoded(returned('a'), result()), 'tool_call')).toMatchObject([{ toolCallId: 'a' }])
})

test('calls in parallel belong to one message, which ends with the first result', () => {
  const lines = [says('Two.'), use('a'), use('b'), returned('b'), returned('a'), says('Done.')]
  const events = decoded(...lines, result())
  expect(ofType(events, 'message_end').map(({ message }) => message.content.length)).toEqual([3, 1])
  expect(ofType(events, 'turn_start')).toHaveLength(2)
})

test('thoughts are what the total has more than input and output', () => {
  const usage = { input: 60, output: 50, cacheRead: 40, reasoning: 20 }
  expect(ofType(decoded(says('Hi'), result()), 'session_update')).toMatchObject([
    { reported: { byModel: { 'gemini-2.5-flash': usage } } },
  ])
})

test('a line that is not known is kept', () => {
  expect(decoded({ type: 'new_thing' }, result())).toContainEqual({
    type: 'raw',
    agent: 'gemini',
    line: { type: 'new_thing' },
  })
})

test('a prompt that looks like a flag stays a prompt', () => {
  expect(geminiCommand('--yolo', { model: 'm', extra: ['-e', 'none'] })).toEqual([
    ...['-p', ' --yolo', '--output-format', 'stream-json', '--model', 'm', '-e', 'none'],
  ])
  expect(geminiLive.args({ model: 'm', start: { directories: ['/a'] } })).toEqual([
    ...['--acp', '--model', 'm', '--include-directories', '/a'],
  ])
})

describe('in a directory that nobody trusts', () => {
  const untrusted = { isTrusted: false, version: '0.61.0', directory: '/project' }
  const start = (...paths: string[]) => gemini.startInProject?.({ ...untrusted, paths })

  test('a session starts without the files of the project', () => {
    const started = { args: [], env: { GEMINI_CLI_TRUST_WORKSPACE: 'false' } }
    expect(start('.gemini/settings.json', '.gemini/.env', '../.gemini/.env')).toEqual(started)
  })

  test('`.env` is refused: its key is used all the same', () => {
    expect(start('.gemini/settings.json', '.env')?.refusal).toContain('from .env even')
    expect(start('../.env')?.refusal).toContain('from ../.env even')
  })

  test('a single prompt is refused: the program exits with 55', () => {
    const project = { ...untrusted, paths: ['.gemini/settings.json'], isOneShot: true } as const
    expect(gemini.startInProject?.(project).refusal).toContain('no single prompt')
  })

  test('trust is passed on', () => {
    const project = { ...untrusted, isTrusted: true, paths: ['.env'], isOneShot: true } as const
    expect(gemini.startInProject?.(project)).toEqual({
      args: [],
      env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    })
  })
})
