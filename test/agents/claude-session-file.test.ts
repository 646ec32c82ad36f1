import { expect, test } from 'vitest'
import { createClaudeFileDecoder } from '../../src/agents/claude/session-file.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { accountOf } from '../support/account.ts'
import { decodeLines } from '../support/recordings.ts'

let count = 0
const line = (type: string, fields: object) => ({
  ...{ type, uuid: `line-${count++}`, parentUuid: null, isSidechain: false },
  ...{ sessionId: 's', cwd: '/p', version: '2.1.112', ...fields },
})
const prompt = (content: unknown, fields: object = {}) =>
  line('user', { message: { role: 'user', content }, ...fields })
const usage = { input_tokens: 10, output_tokens: 5 }
const answer = (id: string, content: object[], stop: string | null, fields: object = {}) =>
  line('assistant', { message: { id, model: 'm', content, stop_reason: stop, usage }, ...fields })
const text = (words: string) => ({ type: 'text', text: words })
const task = (id: string, words: string) => ({
  ...{ type: 'tool_use', id, name: 'Task' },
  input: { prompt: words, description: 'x', subagent_type: 'y' },
})
const result = (id: string, fields: object = {}) =>
  prompt([{ type: 'tool_result', tool_use_id: id, content: 'done' }], fields)

const decode = (lines: readonly unknown[]): AgentEvent[] => {
  const events = decodeLines('claude', lines)
  expect(checkOrder(events)).toEqual([])
  expect(events.filter(({ type }) => type === 'raw')).toEqual([])
  return events
}
const notices = (events: readonly AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === 'session_update' && event.notice ? [event.notice.text] : [],
  )
const threads = (events: readonly AgentEvent[]) =>
  accountOf(events).answers.map(({ id, thread }) => [id, thread])

test('counts a line once that a compaction writes again', () => {
  const kept = answer('a', [text('Hi')], 'end_turn')
  const events = decode([prompt('Go'), kept, kept, prompt('On'), answer('b', [text('Yes')], null)])
  expect(accountOf(events)).toMatchObject({ tokens: { output: 10 }, ends: ['stop', 'stop'] })
})

test.each([
  ['the rest of an answer that was too long', 'max_tokens', []],
  ['what a hook demands', 'end_turn', [prompt('Stop hook feedback', { isMeta: true })]],
])('a run goes on with %s', (_, stop, between) => {
  const lines = [prompt('Go'), answer('a', [text('One')], stop), ...between]
  const events = decode([...lines, answer('b', [text('Two')], 'end_turn')])
  expect(accountOf(events)).toMatchObject({ ends: ['stop'], answers: [{}, {}] })
})

test('a resumed conversation ends the run that nothing has answered', () => {
  const made = { model: '<synthetic>', content: [text('No response requested.')] }
  const placeholder = line('assistant', { message: { id: 'p', ...made } })
  const events = decode([
    ...[prompt('Go'), placeholder, prompt('Again'), answer('a', [text('Hi')], 'end_turn')],
  ])
  expect(accountOf(events)).toMatchObject({ ends: ['interrupted', 'stop'], answers: [{ id: 'a' }] })
})

test('a failed call ends the run with its error', () => {
  const failed = { id: 'e', model: '<synthetic>', content: [text('API Error: 400 {}')] }
  const error = line('assistant', { message: failed, isApiErrorMessage: true, error: 'unknown' })
  expect(accountOf(decode([prompt('Go'), error]))).toMatchObject({ ends: ['error'] })
})

test('subagents are told apart by their prompts, and each prompt stands for one call', () => {
  const side = (fields: object) => ({ isSidechain: true, ...fields })
  const calls = [task('one', 'Count'), task('two', 'Count'), task('three', 'List')]
  const first = prompt('Count', side({ agentId: 'x' }))
  const third = prompt('List', side({ uuid: 'third' }))
  const events = decode([
    ...[prompt('Go'), answer('a', calls, 'tool_use'), first],
    ...[prompt('Count', side({ agentId: 'y' })), third],
    answer('b', [text('3')], 'end_turn', side({ agentId: 'y' })),
    answer('c', [text('a')], 'end_turn', side({ parentUuid: 'third' })),
    ...[answer('d', [text('2')], 'end_turn', side({ agentId: 'x' })), result('one'), result('two')],
    ...[result('three'), answer('e', [text('All')], 'end_turn')],
  ])
  expect(threads(events).toSorted()).toEqual([
    ['a', undefined],
    ['b', 'two'],
    ['c', 'three'],
    ['d', 'one'],
    ['e', undefined],
  ])
})

const warmUp = [
  prompt('Warmup', { isSidechain: true, agentId: 'w' }),
  answer('w1', [text('Ready')], 'end_turn', { isSidechain: true, agentId: 'w' }),
]

test('what Claude Code does for itself is counted, and not shown', () => {
  const lines = [prompt('Go'), ...warmUp, answer('a', [text('Hi')], 'end_turn')]
  const events = decode(lines)
  expect(accountOf(events)).toMatchObject({ answers: [{ id: 'a' }], tokens: { output: 10 } })
  const modelUsage = { m: { inputTokens: 20, outputTokens: 10, costUSD: 1 } }
  const totals = { type: 'cost-state', sessionId: 's', totalCostUSD: 1, modelUsage }
  expect(accountOf(decode([...lines, totals]))).toMatchObject({ tokens: { output: 10 } })
})

test('says that a person went back', () => {
  const first = prompt('One', { parentUuid: 'root' })
  const lines = [first, answer('a', [text('1')], 'end_turn')]
  const next = [prompt('Two', { parentUuid: 'last' }), answer('b', [text('2')], 'end_turn')]
  expect(notices(decode([...lines, ...next]))).toEqual([])
  const again = [prompt('Other', { parentUuid: 'root' }), answer('c', [text('3')], 'end_turn')]
  const events = decode([...lines, ...next, ...again])
  expect(notices(events)).toEqual([expect.stringContaining('went back to an earlier message')])
  expect(accountOf(events).answers).toHaveLength(3)
})

test('a title that a person gave stays, and a summary is of its own conversation', () => {
  const names = (lines: readonly unknown[]) =>
    decode(lines).flatMap((event) =>
      event.type === 'session_update' && event.name !== undefined ? [event.name] : [],
    )
  const start = prompt('Go', { uuid: 'u' })
  const summary = (leafUuid: string) => ({ type: 'summary', summary: leafUuid, leafUuid })
  expect(names([start, summary('u'), summary('other')])).toEqual(['u'])
  const title = { type: 'custom-title', customTitle: 'Mine', sessionId: 's' }
  const made = { type: 'ai-title', aiTitle: 'Its', sessionId: 's' }
  expect(names([start, made, title, made, title])).toEqual(['Its', 'Mine'])
})

test('calls inside each other, and lines that are their own parents, do no harm', () => {
  const own = { isSidechain: true, agentId: 'x' }
  const events = decodeLines('claude', [
    ...[
      prompt('Go', { uuid: 'u', parentUuid: 'u' }),
      answer('a', [task('t', 'Count')], 'tool_use'),
    ],
    ...[prompt('Count', own), answer('b', [task('t', 'Count')], 'tool_use', own)],
    ...[answer('c', [task('', 'Count')], 'tool_use', { isSidechain: true, agentId: 'y' })],
    ...[result(''), result('t'), answer('d', [text('Hi')], 'end_turn')],
  ])
  expect(checkOrder(events)).toEqual([])
})

test('reads 100,000 lines with work that grows with their number', () => {
  const decodeTurns = (turns: number): number => {
    const decoder = createClaudeFileDecoder()
    let largest = 0
    let events = 0
    for (let turn = 0; turn < turns; turn += 1) {
      const call = { type: 'tool_use', id: `t${turn}`, name: 'Bash', input: { command: 'ls' } }
      for (const each of [
        prompt(`Go ${turn}`),
        ...[answer(`a${turn}`, [call], 'tool_use'), result(`t${turn}`)],
        ...[answer(`b${turn}`, [text('Hi')], 'end_turn'), { type: 'last-prompt', sessionId: 's' }],
      ]) {
        const made = decoder.push(each).length
        events += made
        largest = Math.max(largest, made)
      }
    }
    // No line brings back what was decoded before it.
    expect(largest).toBeLessThan(20)
    return events
  }
  expect(decodeTurns(20_000) / decodeTurns(2000)).toBeCloseTo(10, 1)
})
