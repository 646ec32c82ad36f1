import { expect, test } from 'vitest'
import type { AgentEvent, StampedEvent } from '../../src/events/index.ts'
import { createStamp } from '../../src/events/index.ts'
import { changesAt } from '../../web/src/replay/changes-at.ts'

const stamped = (...events: AgentEvent[]): StampedEvent[] => events.map(createStamp('s', () => 1))

const edit = (toolCallId: string, input: unknown, details?: unknown): AgentEvent[] => [
  { type: 'tool_call', toolCallId, toolName: 'edit', input },
  {
    type: 'tool_result',
    message: {
      role: 'toolResult',
      ...{ toolCallId, toolName: 'edit', content: [], isError: false, details },
    },
  },
]

const patch = (path: string, line: number, before = path) => ({
  diff: `--- ${before}\n+++ ${path}\n@@ -${line},1 +${line},1 @@\n-old\n+new\n`,
})

test('the changes of a moment are those of its run, up to the moment', () => {
  const events = stamped(
    { type: 'agent_start' },
    ...edit('1', { path: 'first.txt' }, patch('first.txt', 1)),
    { type: 'agent_end', stopReason: 'stop' },
    { type: 'agent_start' },
    ...edit('2', { path: 'a.txt' }, patch('a.txt', 7)),
    ...edit('3', { path: 'a.txt' }, patch('a.txt', 9)),
    ...edit('4', { path: 'new.txt' }, patch('new.txt', 1, '/dev/null')),
  )
  const shown = (position: number) =>
    changesAt(events, position).map(
      ({ path, status, hunks }) => `${status} ${path} ${hunks.map(({ oldStart }) => oldStart)}`,
    )
  expect(shown(0)).toEqual([])
  expect(shown(4)).toEqual(['modified first.txt 1'])
  expect(shown(5)).toEqual([])
  expect(shown(6)).toEqual([])
  expect(shown(7)).toEqual(['modified a.txt 7'])
  expect(shown(events.length)).toEqual(['modified a.txt 7,9', 'added new.txt 1'])
})

test('a file that is written whole replaces what was changed in it before', () => {
  const events = stamped(
    { type: 'agent_start' },
    ...edit('1', { path: 'a.txt' }, patch('a.txt', 7)),
    ...edit('2', { path: 'a.txt', content: 'one\n' }),
    ...edit('3', { path: 'same.txt', content: 'x' }, { diff: '--- same.txt\n+++ same.txt\n' }),
  )
  expect(changesAt(events, events.length)).toEqual([
    { path: 'a.txt', status: 'modified', hunks: [{ lines: ['+one'] }] },
  ])
})
