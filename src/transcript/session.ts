import type { SnapshotTask, Task } from '../events/types.ts'
import { defined } from '../shared/fields.ts'
import { clearContext, keepInContext } from './compaction.ts'
import { addNotice } from './notices.ts'
import { applyShell } from './shell.ts'
import type { Incoming, Transcript } from './transcript.ts'

/** How many tasks a transcript retains. */
const taskLimit = 200

/** Sets what an event states about the session: its agent, model, name, directory. */
export const updateDetails = (
  transcript: Transcript,
  event: Incoming<'session_start' | 'session_update'>,
): Transcript => {
  const { model, cwd, thinkingLevel, permissionMode, commands } = event
  const { modes, thinkingLevels, autoCompaction, autoRetry } = event
  const { name: oldName, ...unnamed } = transcript
  const name = event.name ?? oldName
  const agent = event.type === 'session_start' ? event.agent : undefined
  const updated: Transcript = {
    ...unnamed,
    ...defined({ agent, model, name: name || undefined, cwd, thinkingLevel, permissionMode }),
    ...defined({ commands, modes, thinkingLevels, autoCompaction, autoRetry }),
  }
  return event.type === 'session_update' ? applyChanges(updated, event) : updated
}

/** Replaces the usage of the session. */
export const setUsage = (
  transcript: Transcript,
  { totals, byModel, context }: Incoming<'usage_update'>,
): Transcript => ({ ...transcript, totals, byModel, context })

const applyChanges = (transcript: Transcript, event: Incoming<'session_update'>): Transcript => {
  const { reset, notice, status, task, backgroundTasks, keptFrom, todos, shell } = event
  const cleared = reset ? clearContext(transcript, event) : transcript
  const marked = keptFrom ? keepInContext(cleared, event, keptFrom) : cleared
  const ran = shell ? applyShell(marked, event, shell) : marked
  const noted = notice ? addNotice(ran, event, notice) : ran
  if (status === undefined && !task && !backgroundTasks && !todos) return noted
  return {
    ...noted,
    ...(status !== undefined && { status }),
    ...(task && { tasks: withTask(noted.tasks, task, event.timestamp) }),
    ...(backgroundTasks && { backgroundTasks }),
    ...(todos && { todos }),
  }
}

/** Fields of a later update are merged into the task. */
const withTask = (
  tasks: readonly SnapshotTask[],
  task: Task,
  at: number | undefined,
): readonly SnapshotTask[] => {
  const known = tasks.find((each) => each.id === task.id)
  const updated = {
    ...(known ?? (at !== undefined && { startedAt: at })),
    ...task,
    ...(task.state !== 'running' && at !== undefined && { endedAt: known?.endedAt ?? at }),
  }
  if (!known) return [...tasks, updated].slice(-taskLimit)
  return tasks.map((each) => (each === known ? updated : each))
}
