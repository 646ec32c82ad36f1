import { expect, test } from 'vitest'
import { createTodoTracker } from '../../../src/agents/tool-calls/todo-list.ts'
import type { AgentEvent, TodoItem } from '../../../src/events/types.ts'

interface Call {
  name: string
  input: object
  details?: object
  isError?: boolean
  inside?: string
}

/** The to-do lists that follow from calls, one after another. */
const listsAfter = (...calls: Call[]): TodoItem[][] => {
  const tracker = createTodoTracker()
  return calls.flatMap(({ name, input, details, isError = false, inside }, index) => {
    const parent = inside === undefined ? {} : { parentToolCallId: inside }
    const toolCallId = `call-${index}`
    const call: AgentEvent = { type: 'tool_call', toolCallId, toolName: name, input, ...parent }
    const about = { toolCallId, toolName: name, isError, ...(details && { details }) }
    const result: AgentEvent = {
      type: 'tool_result',
      message: { role: 'toolResult', content: [], ...about },
      ...parent,
    }
    return [call, result].flatMap((event) => {
      const list = tracker.after(event)
      return list ? [list] : []
    })
  })
}

const done = { text: 'Read', state: 'completed' }
const open = { text: 'Write', state: 'in_progress' }

test.each([
  ['TodoWrite', { todos: [{ content: 'Read', status: 'completed', activeForm: 'Reading' }] }],
  ['todowrite', { todos: [{ content: 'Read', status: 'completed', priority: 'high', id: '1' }] }],
  ['write_todos', { todos: [{ description: 'Read', status: 'completed' }] }],
  ['todo_write', { todos: [{ id: '1', content: 'Read', status: 'completed' }] }],
  ['update_plan', { plan: [{ step: 'Read', status: 'completed' }] }],
])('the list of %s is read', (name, input) => {
  expect(listsAfter({ name, input })).toMatchObject([[done]])
})

test('tools that change one item at a time give the whole list', () => {
  const lists = listsAfter(
    {
      name: 'TaskCreate',
      input: { subject: 'Read', activeForm: 'Reading' },
      details: { task: { id: '1' } },
    },
    { name: 'TaskCreate', input: { subject: 'Write' }, details: { task: { id: '2' } } },
    { name: 'TaskUpdate', input: { taskId: '1', status: 'completed' } },
    { name: 'TaskUpdate', input: { taskId: '2', status: 'in_progress' } },
    { name: 'TaskUpdate', input: { taskId: '1', status: 'deleted' } },
  )
  expect(lists.at(-2)).toMatchObject([{ ...done, activity: 'Reading' }, open])
  expect(lists.at(-1)).toMatchObject([open])
})

test('a call that failed, one of a subagent and one that changes nothing give no list', () => {
  const call = { name: 'TodoWrite', input: { todos: [{ content: 'Read', status: 'completed' }] } }
  expect(listsAfter({ ...call, isError: true })).toEqual([])
  expect(listsAfter({ ...call, inside: 'agent' })).toEqual([])
  expect(listsAfter(call, call)).toHaveLength(1)
  expect(listsAfter({ name: 'Read', input: call.input })).toEqual([])
  expect(listsAfter({ name: 'todo', input: { action: 'list' } })).toEqual([])
})
