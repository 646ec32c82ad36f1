import type { AgentEvent, EventOf, TodoItem } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, listOf, stringIn, stringOf } from '../../shared/fields.ts'

/** The to-do list that an agent writes with a tool, as its calls and results show it. */
export interface TodoTracker {
  /** Reads an event. Returns the list after it if the event changed the list. */
  after(event: AgentEvent): TodoItem[] | undefined
}

export const createTodoTracker = (): TodoTracker => {
  /** The calls of such tools that have no result yet. */
  const calls = new Map<string, TodoCall>()
  let list: TodoItem[] = []

  const begin = (toolCallId: string, toolName: string, input: unknown): void => {
    const tool = plainName(toolName)
    if (todoTools.has(tool)) calls.set(toolCallId, { tool, input: fieldsOf(input) })
  }

  const finish = ({ message }: EventOf<'tool_result'>): TodoItem[] | undefined => {
    const call = calls.get(message.toolCallId)
    if (!call) return undefined
    calls.delete(message.toolCallId)
    const next = message.isError ? undefined : listAfter(list, call, fieldsOf(message.details))
    if (!next || JSON.stringify(next) === JSON.stringify(list)) return undefined
    list = next
    return list
  }

  return {
    after(event) {
      // A subagent has a list of its own, which ends with it.
      if (event.parentToolCallId !== undefined) return undefined
      if (event.type === 'tool_call') begin(event.toolCallId, event.toolName, event.input)
      else if (event.type === 'tool_execution_start' && event.args !== undefined)
        begin(event.toolCallId, event.toolName, event.args)
      else if (event.type === 'tool_result') return finish(event)
      else if (event.type === 'session_update') list = event.reset ? [] : (event.todos ?? list)
      return undefined
    },
  }
}

interface TodoCall {
  tool: string
  input: Fields
}

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '')

/** The tools that agents write their list with, without underscores and case. */
const todoTools = new Set([
  ...['todowrite', 'writetodos', 'updatetodos', 'todo', 'updateplan'],
  ...['taskcreate', 'taskupdate', 'tasklist'],
])

const listAfter = (
  list: readonly TodoItem[],
  { tool, input }: TodoCall,
  details: Fields,
): TodoItem[] | undefined => {
  if (tool === 'taskcreate') return withNewItem(list, input, details)
  if (tool === 'taskupdate') return withChangedItem(list, input)
  if (tool === 'tasklist')
    return todoItemsIn(details.tasks)?.map((item) => withActivity(item, list))
  return todoItemsIn(input)
}

/** Claude Code’s newer tools change one item at a time. */
const withNewItem = (list: readonly TodoItem[], input: Fields, details: Fields) => {
  const id = stringOf(fieldsOf(details.task).id)
  const [item] = itemOf({ ...input, ...defined({ id }) })
  return item && [...list, item]
}

const withChangedItem = (list: readonly TodoItem[], input: Fields): TodoItem[] | undefined => {
  const id = stringOf(input.taskId)
  if (id === undefined || !list.some((item) => item.id === id)) return undefined
  if (input.status === 'deleted') return list.filter((item) => item.id !== id)
  return list.flatMap((item) => (item.id === id ? itemOf({ ...item, ...input, id }) : [item]))
}

/** The agent’s own list leaves the activities out. */
const withActivity = (item: TodoItem, list: readonly TodoItem[]): TodoItem => {
  const activity = item.activity ?? list.find(({ id }) => id === item.id)?.activity
  return { ...item, ...defined({ activity }) }
}

/** The items of a list, or of the list in the arguments of a call, in any agent’s format. */
const todoItemsIn = (value: unknown): TodoItem[] | undefined => {
  const { todos, plan, entries } = fieldsOf(value)
  const items = [value, todos, plan, entries].find(Array.isArray)
  return items && listOf(items).map(fieldsOf).flatMap(itemOf)
}

const itemOf = (item: Fields): TodoItem[] => {
  const text = stringIn(item, 'content', 'subject', 'text', 'step', 'title', 'description')
  if (text === undefined) return []
  const state = stateOf(stringIn(item, 'status', 'state') ?? '')
  const activity = stringIn(item, 'activeForm', 'activity')
  const id = stringOf(item.id)
  return [{ text, state, ...defined({ activity, priority: stringOf(item.priority), id }) }]
}

const stateOf = (status: string): TodoItem['state'] => {
  switch (plainName(status)) {
    case 'inprogress':
    case 'active':
      return 'in_progress'
    case 'completed':
    case 'done':
      return 'completed'
    case 'cancelled':
    case 'canceled':
      return 'cancelled'
    default:
      return 'pending'
  }
}
