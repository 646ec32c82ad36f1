import type { AgentEvent } from '../../events/event.ts'
import { type Fields, fieldsOf, given, listOf, textOf } from '../../shared/fields.ts'

const over = new Set(['completed', 'failed', 'killed', 'stopped', 'cancelled'])

/**
 * Claude’s tasks: subagents and long commands. What still runs in the background keeps a run from
 * being settled. Versions from 2.1.212 list the background; before, every task without its
 * notification counts, since one in the foreground is over before its turn is.
 */
export const createTasks = (emit: (event: AgentEvent) => void) => {
  const open = new Set<string>()
  let background: readonly string[] | undefined

  const say = (line: Fields, status: string) => {
    const id = textOf(line.task_id)
    if (id === undefined) return
    emit({
      type: 'session_update',
      task: {
        id,
        status,
        ...given({
          toolCallId: textOf(line.tool_use_id),
          kind: textOf(line.subagent_type) ?? textOf(line.task_type),
          description: textOf(line.description),
          summary: textOf(line.summary),
        }),
      },
    })
    if (over.has(status)) open.delete(id)
    else open.add(id)
  }

  return {
    isBusy: () => (background ? background.length > 0 : open.size > 0),
    started: (line: Fields) => say(line, 'started'),
    progress: (line: Fields) => say(line, 'running'),
    updated(line: Fields) {
      const status = textOf(fieldsOf(line.patch).status)
      if (status !== undefined) say(line, status)
    },
    notification: (line: Fields) => say(line, textOf(line.status) ?? 'completed'),
    changed(line: Fields) {
      const ids = listOf(line.tasks).map((task) => textOf(fieldsOf(task).task_id) ?? '')
      background = ids
      emit({ type: 'session_update', backgroundTasks: ids })
    },
  }
}
