import { z } from 'zod'
import { accepted } from '../../api/command.ts'
import { taskList, taskOutput, taskOutputQuery } from '../../api/task.ts'
import type { SnapshotTask } from '../../events/types.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'
import { endpoints } from '../endpoints.ts'
import { requireOwnSession, requireSession } from '../require-session.ts'
import { readTaskOutput } from '../task-output.ts'
import { sessionParams } from './params.ts'
import { route } from './route.ts'
import { sendCommand } from './send-command.ts'

const tag = 'Tasks'
const noTask = ['unknown_session', 'gone', 'unknown_task'] as const

const taskParams = z.strictObject({
  ...sessionParams.shape,
  taskId: z.string().min(1).max(200).describe('The id of the task.'),
})

/** What an agent does beside its runs: background commands and subagents. */
export const taskRoutes = [
  route({
    endpoint: endpoints.listTasks,
    tag,
    summary: 'List the tasks of the agent: subagents and long-running commands',
    description: 'Background tasks continue when a run ends. A snapshot has the same list.',
    parts: { params: sessionParams },
    reply: { status: 200, schema: taskList },
    problems: ['unknown_session', 'gone'],
    async handle({ params }, { app }) {
      const { id } = await requireSession(app.log, params.id)
      return { status: 200, body: { sessionId: id, tasks: await tasksOf(app, id) } }
    },
  }),
  route({
    endpoint: endpoints.getTaskOutput,
    tag,
    summary: 'Get the output of a command that runs in the background',
    description:
      'The agent writes the output to a file, which is read now. Without `after`, the response has the end of the output. The messages of a subagent are in its thread instead.',
    parts: { params: taskParams, query: taskOutputQuery },
    reply: { status: 200, schema: taskOutput },
    problems: [...noTask, 'no_output', 'session_read_only'],
    async handle({ params, query }, { app }) {
      const { id } = await requireOwnSession(app.log, params.id)
      const task = await requireTask(app, id, params.taskId)
      const output = await readTaskOutput(task, query.after)
      return { status: 200, body: { sessionId: id, taskId: task.id, ...output } }
    },
  }),
  route({
    endpoint: endpoints.stopTask,
    tag,
    summary: 'Stop a task that runs in the background',
    description: 'The run, if there is one, continues. The stream shows when the task has ended.',
    parts: { params: taskParams },
    reply: { status: 202, schema: accepted },
    problems: [...noTask, 'task_ended', 'agent_refused', 'agent_failed', 'not_supported'],
    async handle({ params: { id, taskId } }, { app, actor: by }) {
      await requireSession(app.log, id)
      const { state } = await requireTask(app, id, taskId)
      if (state !== 'running')
        throw new Problem(409, 'task_ended', `The task ${taskId} has already ended.`, { state })
      return sendCommand(app, id, {
        feature: 'stopping tasks',
        send: (session) => session.stopTask(taskId, { by }),
      })
    },
  }),
]

const tasksOf = async (app: AppContext, id: string): Promise<readonly SnapshotTask[]> =>
  (await app.streams.snapshotOf(id)).tasks ?? []

const requireTask = async (app: AppContext, id: string, taskId: string): Promise<SnapshotTask> => {
  const task = (await tasksOf(app, id)).find((each) => each.id === taskId)
  if (!task) throw new Problem(404, 'unknown_task', `The session has no task ${taskId}.`)
  return task
}
