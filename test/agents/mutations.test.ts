import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agentEvent } from '../../src/events/index.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { isFields } from '../../src/shared/fields.ts'
import { decodeChunks, recording } from '../support/recordings.ts'

const samples = [
  'codex/0.166.0/shell-tool-slow',
  'codex-app-server/0.166.0/approval-accept',
  'codex-app-server/0.166.0/shell-tool',
  'opencode/1.18.33/multi-turn',
  'opencode/1.18.33/context-exceeded-compact',
  'opencode-serve/1.18.33/multi-turn',
  'gemini/0.61.0/multi-turn',
  'qwen/0.24.4/subagent',
  'qwen/0.24.4/stdin-permission-deny',
  'copilot/1.0.102/file-edit',
  'cline/3.0.65/multi-turn',
  'acp/gemini-0.61.0/allow',
  'acp/opencode-1.18.33/load',
]

/** A change to a recording, with numbers in place of random choices. */
type Change = (lines: string[], at: number, to: number, value: unknown) => string[]

const changes: readonly Change[] = [
  (lines, at) => lines.toSpliced(at % lines.length, 1),
  (lines, at) => lines.toSpliced(at % lines.length, 0, lines[at % lines.length] ?? ''),
  (lines, at, to) => {
    const [moved = ''] = lines.slice(at % lines.length)
    return lines.toSpliced(at % lines.length, 1).toSpliced(to % lines.length, 0, moved)
  },
  (lines, at) => [...lines.slice(0, at % lines.length), ...lines],
  (lines, at) => lines.slice(at % lines.length),
  (lines, at, to, value) => withField(lines, at % lines.length, to, () => value),
  (lines, at, to) => withField(lines, at % lines.length, to, () => undefined),
  (lines, at, to) =>
    withField(lines, at % lines.length, to, (old) => (isFields(old) ? { new: 1, ...old } : old)),
]

/** Replaces one value somewhere in a line. */
const withField = (lines: string[], at: number, to: number, change: (old: unknown) => unknown) => {
  let count = 0
  const target = 1 + (to % (lines[at] ?? '').split(':').length)
  const line = JSON.stringify(JSON.parse(lines[at] ?? ''), (_, value: unknown) => {
    count += 1
    return count - 1 === target ? change(value) : value
  })
  return lines.toSpliced(at, 1, line ?? '')
}

const odd = fc.constantFrom(null, 42, -1, '', 'x', true, [], {}, [null], { a: 1 })

const step = fc.tuple(fc.constantFrom(...changes), fc.nat(), fc.nat(), odd)

/** What holds for every stream, whatever happened to it on its way. */
const checkStream = (events: readonly AgentEvent[]) => {
  const count = (type: AgentEvent['type']) => events.filter((event) => event.type === type).length
  expect(checkOrder(events)).toEqual([])
  expect(count('agent_end')).toBe(count('agent_start'))
  expect(count('message_end')).toBe(count('message_start'))
  expect(count('tool_execution_end')).toBe(count('tool_call'))
  for (const event of events) expect(agentEvent.safeParse(event).error).toBeUndefined()
}

describe('lines that are lost, repeated, moved or different', () => {
  test.each(samples)('%s: the events are valid and in order', (name) => {
    const { agent, bytes } = recording(name)
    const lines = bytes().toString('utf8').trimEnd().split('\n')
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 3 }), (steps) => {
        let changed = lines
        for (const [change, at, to, value] of steps)
          if (changed.length > 0) changed = change(changed, at, to, value)
        checkStream(decodeChunks(agent, [Buffer.from(`${changed.join('\n')}\n`)]))
      }),
      { numRuns: 150 },
    )
  })
})
