import { expect, test } from 'vitest'
import { createClaudeDecoder } from '../../src/agents/claude/decode.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent, Block } from '../../src/events/types.ts'
import { answer, assistant, init, result, use } from '../support/claude-lines.ts'
import { decoderOf, ofType } from '../support/decoded.ts'

const decode = decoderOf('claude')
const textIn = ([block]: Block[]) => (block?.type === 'text' ? block.text : undefined)

const outlineOf = (events: AgentEvent[]) =>
  events.flatMap((event) => {
    if (event.type === 'tool_result') return `result ${textIn(event.message.content)}`
    return /^(?:tool|agent|subagent)_/.test(event.type) ? event.type : []
  })

test('every call has a result before the run ends, and a late one follows', () => {
  const cut = [init, assistant('m', use('a')), result({ terminal_reason: 'aborted_tools' })]
  const begun = ['agent_start', 'tool_call', 'tool_execution_start']
  const ended = [
    'tool_execution_end',
    'result Interrupted: the call returned no result.',
    'agent_end',
  ]
  expect(outlineOf(decode(...cut))).toEqual([...begun, ...ended])
  expect(outlineOf(decode(...cut.slice(0, -1)))).toEqual([...begun, ...ended])
  const late = decode(...cut, init, answer('a', 'whole'), answer('a', 'again'), result())
  const after = ['agent_start', 'result whole', 'agent_end']
  expect(outlineOf(late)).toEqual([...begun, ...ended, ...after])
  expect(checkOrder(late)).toEqual([])
  const stop = "The user doesn't want to take this action right now. STOP what you are doing"
  const stopped = decode(...cut, init, answer('a', stop, { is_error: true }), result())
  expect(ofType(stopped, 'tool_result')).toHaveLength(1)
})

test('a subagent in the background ends after its calls when the agent ends between runs', () => {
  const started = { type: 'system', subtype: 'task_started', task_id: 'bg', tool_use_id: 'a' }
  const events = decode(
    init,
    assistant('m', use('a', 'Agent')),
    { ...started, is_backgrounded: true },
    { type: 'system', subtype: 'background_tasks_changed', tasks: [{ task_id: 'bg' }] },
    answer('a', 'Async agent launched successfully.'),
    result(),
    assistant('s', use('b'), { parent_tool_use_id: 'a' }),
  )
  expect(outlineOf(events).slice(-3)).toEqual([
    'tool_execution_end',
    'result Interrupted: the call returned no result.',
    'subagent_end',
  ])
  expect(checkOrder(events)).toEqual([])
})

test('calls inside calls inside calls are decoded, however deep they are', () => {
  const decoder = createClaudeDecoder()
  const count = 12_000
  const events = decoder.push(init)
  for (let index = 0; index < count; index += 1) {
    const inside = { parent_tool_use_id: `c${index - 1}` }
    events.push(...decoder.push(assistant(`m${index}`, use(`c${index}`, 'Agent'), inside)))
  }
  for (const event of decoder.end()) events.push(event)
  expect(ofType(events, 'tool_call')).toHaveLength(count)
  expect(checkOrder(events)).toEqual([])
})
