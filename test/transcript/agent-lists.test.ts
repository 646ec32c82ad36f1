import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { applyEvents, fromSnapshot, toSnapshot } from '../../src/transcript/index.ts'
import { transcriptOf } from './events.ts'

const todos = [
  { text: 'Read', state: 'completed' },
  { text: 'Write', state: 'in_progress', activity: 'Writing' },
] as const

const events: AgentEvent[] = [
  { type: 'session_start', agent: 'claude', commands: [{ name: 'review', kind: 'command' }] },
  { type: 'session_update', todos: [{ text: 'Read', state: 'pending' }] },
  { type: 'session_update', todos: [...todos] },
]

test('the to-do list and the commands are state: the latest counts, also after a snapshot', () => {
  const after = transcriptOf(...events)
  const state = { todos, commands: [{ name: 'review', kind: 'command' }] }
  expect(after).toMatchObject(state)
  expect(fromSnapshot(toSnapshot(after, { projectId: 'p' }))).toMatchObject(state)
})

test('a conversation that is cleared has no to-do list', () => {
  const after = applyEvents(transcriptOf(...events), [{ type: 'session_update', reset: true }])
  expect(after.todos).toEqual([])
})
