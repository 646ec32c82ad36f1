import { z } from 'zod'
import { snapshotTask } from '../events/snapshot.ts'
import { queryNumber } from './fields.ts'

export const taskList = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    tasks: z.array(snapshotTask).describe('The latest tasks of the agent, oldest first.'),
  })
  .describe('Response of `GET sessions/:id/tasks`.')

export const taskOutputQuery = z
  .strictObject({
    after: queryNumber(0)
      .optional()
      .describe('Read from this byte on: the `next` of the previous response. Default: the end.'),
  })
  .describe('Query of `GET sessions/:id/tasks/:taskId/output`.')

export const taskOutput = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    taskId: z.string().describe('Id of the task.'),
    text: z.string().describe('Output of the task, at most 256 KiB.'),
    from: z.int().nonnegative().describe('Byte of the output that `text` begins with.'),
    next: z.int().nonnegative().describe('Byte after `text`. Pass it as `after` to read on.'),
    size: z.int().nonnegative().describe('Size of the whole output so far, in bytes.'),
  })
  .describe('Response of `GET sessions/:id/tasks/:taskId/output`.')
