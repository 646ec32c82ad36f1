import type { AgentEvent } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'

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
    const id = stringOf(line.task_id)
    if (id === undefined) return
    emit({
      type: 'session_update',
      task: {
        id,
        status,
        ...defined({
          toolCallId: stringOf(line.tool_use_id),
          kind: stringOf(line.subagent_type) ?? stringOf(line.task_type),
          description: stringOf(line.description),
          summary: stringOf(line.summary),
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
      const status = stringOf(fieldsOf(line.patch).status)
      if (status !== undefined) say(line, status)
    },
    notification: (line: Fields) => say(line, stringOf(line.status) ?? 'completed'),
    changed(line: Fields) {
      const ids = listOf(line.tasks).map((task) => stringOf(fieldsOf(task).task_id) ?? '')
      background = ids
      emit({ type: 'session_update', backgroundTasks: ids })
    },
  }
}
