import type { Task } from '../../events/types.ts'
import {
  defined,
  type Fields,
  fieldsOf,
  flagOf,
  listOf,
  ownValue,
  stringOf,
} from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { blocksOf, textOfBlocks } from './wire.ts'

const endStates: Readonly<Record<string, Task['state']>> = {
  completed: 'completed',
  failed: 'failed',
  killed: 'stopped',
  stopped: 'stopped',
  cancelled: 'stopped',
}

/** What the result of a call says about the task that the call started. */
export interface LaunchedTask {
  /** Versions before 2.1 have no other line about the task. */
  id?: string
  description?: string
  outputFile?: string
}

/** What the result of a call shows about a task that was started before. */
export interface ShownTask {
  id: string
  status: string
}

/**
 * Claude’s tasks: subagents and long commands. One in the foreground ends before its call does. One in
 * the background continues after the result of its call, and after the run. Versions from 2.1.212
 * list their background tasks; in others, a task that works when its call ends is one.
 */
export interface Tasks {
  /** Whether the task that a call started works in the background. */
  isDetached(toolCallId: string): boolean
  /** Whether a subagent works in the background of a version that writes no result meanwhile. */
  holdsResults(): boolean
  started(line: Fields): void
  progress(line: Fields): void
  updated(line: Fields): void
  notification(line: Fields): void
  /** The list of background tasks changed. */
  changed(line: Fields): void
  /** A call has its result. If its task still works, it works in the background. */
  callEnded(toolCallId: string, launched: LaunchedTask | undefined): void
  /** The result of a call shows how a task is. Old versions have no other line about its end. */
  shown(task: ShownTask | undefined): void
  /** The call that started a task. */
  callOf(taskId: string | undefined): string | undefined
  /** The process is over, and all tasks with it. */
  close(): void
}

export const createTasks = (emit: Emit): Tasks => {
  /** The tasks that work, by id. */
  const open = new Map<string, Task>()
  /** The call that started each task. */
  const calls = new Map<string, string>()
  /** The ids that the agent lists, if it lists them. */
  let listed: readonly string[] | undefined

  const update = (id: string, status: string, fields: Partial<Task>) => {
    const known = open.get(id)
    const state = ownValue(endStates, status) ?? 'running'
    if (fields.toolCallId !== undefined) calls.set(id, fields.toolCallId)
    const task = { ...known, ...fields, id, state, status }
    if (state === 'running') open.set(id, task)
    else open.delete(id)
    emit({ type: 'session_update', task: { id, state, status, ...fields } })
    const isInList = isInBackground(known)
    if (!listed && isInList !== (state === 'running' && isInBackground(task))) emitList()
  }

  const emitList = () => {
    const background = [...open.values()].filter(isInBackground)
    emit({ type: 'session_update', backgroundTasks: background.map(({ id }) => id) })
  }

  const fromLine = (line: Fields, status: string, fields: Partial<Task> = {}) => {
    const id = stringOf(line.task_id)
    if (id !== undefined) update(id, status, { ...fieldsOfLine(line), ...fields })
  }

  const taskOf = (toolCallId: string) =>
    [...open.values()].find((task) => task.toolCallId === toolCallId)

  return {
    isDetached: (toolCallId) => open.size > 0 && isInBackground(taskOf(toolCallId)),
    holdsResults: () =>
      listed === undefined &&
      [...open.values()].some((task) => isInBackground(task) && task.kind === 'local_agent'),
    started(line) {
      const isListed = listed?.includes(stringOf(line.task_id) ?? '')
      const isBackground = flagOf(line.is_backgrounded) ?? isListed
      fromLine(line, 'started', defined({ description: stringOf(line.description), isBackground }))
    },
    progress: (line) =>
      fromLine(line, 'running', defined({ activity: stringOf(line.description) })),
    updated(line) {
      const { status, is_backgrounded: moved } = fieldsOf(line.patch)
      const known = open.get(stringOf(line.task_id) ?? '')
      const now = stringOf(status) ?? (moved === undefined ? undefined : known?.status)
      if (now !== undefined) fromLine(line, now, defined({ isBackground: flagOf(moved) }))
    },
    notification: (line) => fromLine(line, stringOf(line.status) ?? 'completed'),
    callOf: (taskId) => taskId && calls.get(taskId),
    changed(line) {
      listed = listOf(line.tasks).map((task) => stringOf(fieldsOf(task).task_id) ?? '')
      emit({ type: 'session_update', backgroundTasks: [...listed] })
    },
    callEnded(toolCallId, launched) {
      const known = taskOf(toolCallId)
      const id = known?.id ?? launched?.id
      if (id === undefined) return
      const news = known
        ? detached(known, launched)
        : { ...launched, toolCallId, isBackground: true }
      if (Object.keys(news).length > 0) update(id, known?.status ?? 'started', news)
    },
    shown(task) {
      if (task && !listed && open.has(task.id) && ownValue(endStates, task.status))
        update(task.id, task.status, {})
    },
    close() {
      if (open.size === 0) return
      const ids = [...open.keys()]
      listed = listed && []
      for (const id of ids) update(id, 'stopped', {})
      if (listed) emitList()
    },
  }
}

const fieldsOfLine = (line: Fields): Partial<Task> =>
  defined({
    toolCallId: stringOf(line.tool_use_id),
    kind: stringOf(line.subagent_type) ?? stringOf(line.task_type),
    summary: stringOf(line.summary),
  })

/** What is new about a task when its call has ended. */
const detached = (known: Task, launched: LaunchedTask | undefined): Partial<Task> =>
  defined({
    outputFile: launched?.outputFile,
    isBackground: isInBackground(known) ? undefined : true,
  })

const isInBackground = (task: Task | undefined): boolean => task?.isBackground === true

/** What the result of a call says about a command that was sent to the background. */
export const launchedTask = (
  block: Fields,
  details: unknown,
  input: unknown,
): LaunchedTask | undefined => {
  const text = textOfBlocks(blocksOf(block.content))
  const [, named] = /^Command running in background with ID: (\w+)/.exec(text) ?? []
  // 1.0 has no details: only a command that was to run in the background can say so in its result.
  const isWanted = fieldsOf(input).run_in_background === true
  const id = stringOf(fieldsOf(details).backgroundTaskId) ?? (isWanted ? named : undefined)
  if (id === undefined) return undefined
  const [, outputFile] =
    /Output is being written to: (\S.*?\.output)(?=\.?\s|\.?$)/.exec(text) ?? []
  const { description, command } = fieldsOf(input)
  return { id, ...defined({ description: stringOf(description) ?? stringOf(command), outputFile }) }
}

/** What the result of a call shows about the task that the call reads or stops. */
export const shownTask = (block: Fields, input: unknown): ShownTask | undefined => {
  const { shell_id: shell, bash_id: command, task_id: task } = fieldsOf(input)
  const id = stringOf(shell) ?? stringOf(command) ?? stringOf(task)
  if (id === undefined || block.is_error === true) return undefined
  const text = textOfBlocks(blocksOf(block.content))
  const [, named] = /<status>(\w+)<\/status>/.exec(text) ?? []
  const status = named ?? (text.includes(`Successfully killed shell: ${id}`) ? 'killed' : undefined)
  return status === undefined ? undefined : { id, status }
}
