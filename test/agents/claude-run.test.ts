import { describe, expect, test } from 'vitest'
import { checkOrder } from '../../src/events/order.ts'
import { answer, assistant, init, result, stream, text, use } from '../support/claude-lines.ts'
import { decoderOf, ofType, textOf } from '../support/decoded.ts'

const decode = decoderOf('claude')

describe('success and failure', () => {
  const endOf = (...lines: unknown[]) => decode(init, ...lines).at(-1)

  test('a result with is_error is a failure, even with the subtype success', () => {
    expect(endOf(result({ is_error: true, result: 'API Error: 400' }))).toEqual({
      type: 'agent_end',
      stopReason: 'error',
      errorMessage: 'Error 400',
    })
  })

  test('a result with an error subtype is a failure, even if is_error is false', () => {
    expect(endOf(result({ subtype: 'error_max_turns' }))).toMatchObject({ stopReason: 'error' })
  })

  test('an interrupted turn is aborted: its reason or a user message says so', () => {
    const cut = { subtype: 'error_during_execution', is_error: true }
    expect(endOf(result({ ...cut, terminal_reason: 'aborted_tools' }))).toEqual({
      type: 'agent_end',
      stopReason: 'aborted',
    })
    const interruption = {
      type: 'user',
      message: { role: 'user', content: [text('[Request interrupted by user]')] },
    }
    expect(endOf(interruption, result({ subtype: 'error_during_execution' }))).toMatchObject({
      stopReason: 'aborted',
    })
  })

  test('a synthetic error message is an error, not text of the agent', () => {
    const message = { id: 'x', model: '<synthetic>', content: [text('API Error: 500')] }
    const events = decode(
      init,
      { type: 'assistant', error: 'server_error', message },
      result({ is_error: true }),
    )
    expect(textOf(events)).toBe('')
    expect(ofType(events, 'message_end')[0]).toMatchObject({
      message: {
        synthetic: true,
        stopReason: 'error',
        errorMessage: 'Error 500',
        content: [],
      },
    })
  })

  test('a run without a result ends as interrupted', () => {
    expect(endOf(assistant('m', text('half')))).toEqual({
      type: 'agent_end',
      stopReason: 'interrupted',
      interrupted: true,
    })
  })
})

describe('the end of a run', () => {
  const started = (id: string) => ({
    type: 'system',
    subtype: 'task_started',
    task_id: id,
    tool_use_id: 'a',
  })
  const ended = (id: string) => ({
    type: 'system',
    subtype: 'task_notification',
    task_id: id,
    tool_use_id: 'a',
    status: 'completed',
  })

  test('a result ends the run while a command works in the background; its end opens another', () => {
    const events = decode(
      init,
      assistant('m', use('a')),
      started('bg'),
      answer('a', 'Command running in background with ID: bg.'),
      assistant('n', text('started')),
      result(),
      ended('bg'),
      init,
      assistant('o', text('it is done')),
      result(),
    )
    const runs = events.map(({ type }) => type).filter((type) => type.startsWith('agent_'))
    expect(runs).toEqual(['agent_start', 'agent_end', 'agent_start', 'agent_end'])
    const tasks = ofType(events, 'session_update').flatMap(({ task }) => task ?? [])
    expect(tasks).toMatchObject([
      { state: 'running' },
      { state: 'running', isBackground: true },
      { state: 'completed' },
    ])
    const lists = ofType(events, 'session_update').flatMap((event) =>
      event.backgroundTasks ? [event.backgroundTasks] : [],
    )
    expect(lists).toEqual([['bg'], []])
    expect(checkOrder(events)).toEqual([])
  })

  test('a subagent in the background works between runs, and opens none', () => {
    const inside = { parent_tool_use_id: 'a' }
    const listed = (...ids: string[]) => ({
      type: 'system',
      subtype: 'background_tasks_changed',
      tasks: ids.map((id) => ({ task_id: id })),
    })
    const events = decode(
      init,
      assistant('m', use('a', 'Agent')),
      listed('bg'),
      { ...started('bg'), is_backgrounded: true },
      answer('a', 'Async agent launched successfully.'),
      assistant('n', text('it runs')),
      result(),
      assistant('s1', use('b'), inside),
      { ...answer('b', 'done'), ...inside },
      assistant('s2', text('found it'), inside),
      listed(),
      ended('bg'),
      init,
      assistant('o', text('it is done')),
      result(),
    )
    const types = events.map(({ type }) => type)
    const between = types.slice(types.indexOf('agent_end') + 1, types.lastIndexOf('agent_start'))
    expect(between).toContain('tool_execution_end')
    expect(between).toContain('subagent_end')
    expect(types.filter((type) => type === 'agent_start')).toHaveLength(2)
    expect(checkOrder(events)).toEqual([])
  })

  describe('a version that writes no result while a subagent works in the background', () => {
    const reply = (id: string, words: string, stopReason = 'end_turn') => [
      stream({ type: 'message_start', message: { id, model: 'opus' } }),
      stream({ type: 'content_block_start', index: 0, content_block: text('') }),
      stream({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: words },
      }),
      assistant(id, text(words)),
      stream({ type: 'content_block_stop', index: 0 }),
      stream({ type: 'message_delta', delta: { stop_reason: stopReason } }),
      stream({ type: 'message_stop' }),
    ]
    const launch = [
      init,
      assistant('m', use('a', 'Agent')),
      { ...started('bg'), task_type: 'local_agent' },
      answer('a', 'Async agent launched successfully.'),
    ]
    const runsOf = (...lines: unknown[]) =>
      ofType(decode(...lines), 'agent_end').map(({ stopReason, interrupted }) =>
        interrupted ? 'interrupted' : stopReason,
      )

    test('the run ends with its answer', () => {
      const notified = [ended('bg'), init, ...reply('o', 'it is done'), result()]
      expect(runsOf(...launch, ...reply('n', 'it runs'))).toEqual(['stop'])
      expect(runsOf(...launch, ...reply('n', 'it runs'), ...notified)).toEqual(['stop', 'stop'])
      const prompted = [init, ...reply('p', 'hello')]
      expect(runsOf(...launch, ...reply('n', 'it runs'), ...prompted, ...notified)).toEqual([
        'stop',
        'stop',
        'stop',
      ])
    })

    test('a result that comes late opens no run and ends no other one', () => {
      const late = result({ result: 'it runs' })
      const events = decode(...launch, ...reply('n', 'it runs'), late)
      expect(ofType(events, 'agent_start')).toHaveLength(1)
      expect(textOf(events)).toBe('it runs')
      const next = [init, ...reply('p', 'hello', 'tool_use'), late, ...reply('q', 'bye')]
      expect(runsOf(...launch, ...reply('n', 'it runs'), ...next, result())).toEqual([
        'stop',
        'stop',
      ])
    })

    test('an interrupted run ends with the line that says so', () => {
      const interruption = {
        type: 'user',
        message: { role: 'user', content: [text('[Request interrupted by user]')] },
      }
      expect(runsOf(...launch, assistant('n', text('it')), interruption)).toEqual(['aborted'])
    })
  })

  test.each([
    [
      'with its details',
      'Command running in background with ID: b1. Output is being written to: /tmp/x y/tasks/b1.output. You will be notified',
      { backgroundTaskId: 'b1' },
      { id: 'b1', outputFile: '/tmp/x y/tasks/b1.output' },
    ],
    [
      'of a version without details',
      'Command running in background with ID: 5fbef5',
      undefined,
      { id: '5fbef5' },
    ],
  ])(
    'a command in the background is a task even without task lines: %s',
    (_, said, details, task) => {
      const input = { command: 'npm run dev', description: 'Dev server', run_in_background: true }
      const events = decode(
        init,
        assistant('m', use('a', 'Bash', input)),
        { ...answer('a', said), ...(details && { tool_use_result: details }) },
        result(),
      )
      const tasks = ofType(events, 'session_update').flatMap((event) => event.task ?? [])
      expect(tasks[0]).toEqual({
        ...task,
        toolCallId: 'a',
        state: 'running',
        status: 'started',
        isBackground: true,
        description: 'Dev server',
      })
      // The process is over, and the task with it.
      expect(tasks.at(-1)).toMatchObject({ id: task.id, state: 'stopped' })
    },
  )

  test('two prompts are two runs', () => {
    const events = decode(
      init,
      assistant('m', text('a')),
      result(),
      init,
      assistant('n', text('b')),
      result(),
    )
    expect(ofType(events, 'agent_start')).toHaveLength(2)
    expect(ofType(events, 'agent_end')).toHaveLength(2)
  })

  test('--output-format json prints only the result, whose text is the answer', () => {
    expect(textOf(decode(result({ result: 'The answer.' })))).toBe('The answer.')
  })

  test('--output-format json --verbose prints all lines as one list', () => {
    expect(textOf(decode([init, assistant('m', text('Hi')), result({ result: 'Hi' })]))).toBe('Hi')
  })
})

test('1.0 has no status lines: a compaction starts at the boundary and ends with the summary', () => {
  const events = decode(
    init,
    assistant('m', text('long')),
    {
      type: 'system',
      subtype: 'compact_boundary',
      compact_metadata: { trigger: 'auto', pre_tokens: 9 },
    },
    { type: 'user', message: { role: 'user', content: 'This session is being continued…' } },
    assistant('n', text('on')),
    result(),
  )
  expect(ofType(events, 'compaction_end')).toEqual([
    {
      type: 'compaction_end',
      reason: 'threshold',
      tokensBefore: 9,
      summary: 'This session is being continued…',
    },
  ])
})

test('an unknown line becomes a raw event', () => {
  const line = { type: 'system', subtype: 'brand_new', more: true }
  expect(decode(line)).toEqual([{ type: 'raw', agent: 'claude', line }])
})
