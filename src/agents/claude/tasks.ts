import { defined, type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'

const endedStatuses = new Set(['completed', 'failed', 'killed', 'stopped', 'cancelled'])

/**
 * Claude’s tasks: subagents and long commands. A run is not over while one works in the background.
 * Versions from 2.1.212 list the background tasks. Before, every task without its notification
 * counts: one in the foreground ends before its turn does.
 */
export interface Tasks {
  /** Whether a task works in the background. */
  isBusy(): boolean
  started(line: Fields): void
  progress(line: Fields): void
  updated(line: Fields): void
  notification(line: Fields): void
  /** The list of background tasks changed. */
  changed(line: Fields): void
  /** The call that started a task. */
  callOf(taskId: string | undefined): string | undefined
}

export const createTasks = (emit: Emit): Tasks => {
  const open = new Set<string>()
  const calls = new Map<string, string>()
  let background: readonly string[] | undefined

  const update = (line: Fields, status: string) => {
    const id = stringOf(line.task_id)
    if (id === undefined) return
    const toolCallId = stringOf(line.tool_use_id)
    if (toolCallId !== undefined) calls.set(id, toolCallId)
    // In a progress line, the description is what the task does now.
    const isProgress = line.subtype === 'task_progress'
    const description = stringOf(line.description)
    emit({
      type: 'session_update',
      task: {
        id,
        status,
        ...defined({
          toolCallId,
          kind: stringOf(line.subagent_type) ?? stringOf(line.task_type),
          description: isProgress ? undefined : description,
          activity: isProgress ? description : undefined,
          summary: stringOf(line.summary),
        }),
      },
    })
    if (endedStatuses.has(status)) open.delete(id)
    else open.add(id)
  }

  return {
    isBusy: () => (background ? background.length > 0 : open.size > 0),
    started: (line) => update(line, 'started'),
    progress: (line) => update(line, 'running'),
    updated(line) {
      const status = stringOf(fieldsOf(line.patch).status)
      if (status !== undefined) update(line, status)
    },
    notification: (line) => update(line, stringOf(line.status) ?? 'completed'),
    callOf: (taskId) => taskId && calls.get(taskId),
    changed(line) {
      background = listOf(line.tasks).map((task) => stringOf(fieldsOf(task).task_id) ?? '')
      emit({ type: 'session_update', backgroundTasks: [...background] })
    },
  }
}
