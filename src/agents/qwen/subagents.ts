import { defined, type Fields, fieldsOf, ownValue, stringOf } from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'

/**
 * The subagents of Qwen Code and its other tasks. Most work in the background: their call returns at
 * once, and a notification ends them.
 */
export interface QwenSubagents {
  /** A call of the tool `agent`. */
  start(toolCallId: string, input: Fields, parentToolCallId: string | undefined): void
  /** The result of a call. A subagent in the background goes on. */
  returned(toolCallId: string, text: string, isError: boolean): void
  /** Whether a subagent works whose call has not returned. */
  hasForeground(): boolean
  /** Whether the call of a subagent has returned, and the subagent goes on. */
  isInBackground(toolCallId: string): boolean
  /** A `task_started` or `task_notification` line. */
  task(data: Fields): void
  /** The process is over, and all tasks with it. */
  close(): void
}

const endStates = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'stopped',
  killed: 'stopped',
  stopped: 'stopped',
} as const

export const createQwenSubagents = (
  emit: Emit,
  closeThread: (toolCallId: string) => void,
): QwenSubagents => {
  /** The subagents that work, with the way to emit beside their call. */
  const open = new Map<string, Emit>()
  const detached = new Set<string>()
  /** Ids of the tasks that work. */
  const tasks = new Set<string>()

  const end = (toolCallId: string, isError: boolean | undefined) => {
    const emitEnd = open.get(toolCallId)
    if (!emitEnd) return
    open.delete(toolCallId)
    detached.delete(toolCallId)
    closeThread(toolCallId)
    emitEnd({ type: 'subagent_end', toolCallId, ...defined({ isError }) })
  }

  const update = (id: string, state: TaskState, status: string, more: object = {}) => {
    const isNew = state === 'running' && !tasks.has(id)
    const isOver = state !== 'running' && tasks.delete(id)
    if (isNew) tasks.add(id)
    const task = { id, state, status, isBackground: true, ...more }
    emit({
      type: 'session_update',
      task,
      ...((isNew || isOver) && { backgroundTasks: [...tasks] }),
    })
  }

  return {
    start(toolCallId, input, parentToolCallId) {
      const emitCall = inside(emit, parentToolCallId)
      open.set(toolCallId, emitCall)
      emitCall({
        type: 'subagent_start',
        toolCallId,
        ...defined({
          kind: stringOf(input.subagent_type),
          description: stringOf(input.description),
          prompt: stringOf(input.prompt),
        }),
      })
    },
    returned(toolCallId, text, isError) {
      if (open.has(toolCallId) && text.startsWith('Background agent launched'))
        detached.add(toolCallId)
      else end(toolCallId, isError)
    },
    hasForeground: () => [...open.keys()].some((id) => !detached.has(id)),
    isInBackground: (toolCallId) => detached.has(toolCallId),
    task(data) {
      const id = stringOf(data.task_id) ?? ''
      const toolCallId = stringOf(data.tool_use_id)
      const status = stringOf(data.status) ?? 'running'
      const state = ownValue<TaskState>(endStates, status) ?? 'running'
      const kind = stringOf(data.subagent_type)
      const description = stringOf(data.description)
      const summary = stringOf(fieldsOf(data).summary)
      if (state !== 'running' && toolCallId !== undefined) end(toolCallId, state !== 'completed')
      update(id, state, status, defined({ toolCallId, kind, description, summary }))
    },
    close() {
      for (const id of [...open.keys()].reverse()) end(id, undefined)
      for (const id of tasks) update(id, 'stopped', 'stopped')
    },
  }
}

type TaskState = 'running' | 'completed' | 'failed' | 'stopped'
