import { basename, dirname } from 'node:path'
import type { TaskOutput } from '../api/types.ts'
import type { SnapshotTask } from '../events/types.ts'
import { readFilePart } from '../files/read-file-part.ts'
import { Problem } from '../shared/problem.ts'

/** How much of an output one response has. */
const maxBytes = 256 * 1024

/** Reads a part of the output of a task: from a byte on, or the end of it. */
export const readTaskOutput = async (
  task: SnapshotTask,
  after: number | undefined,
): Promise<Pick<TaskOutput, 'text' | 'from' | 'next' | 'size'>> => {
  const { id, outputFile } = task
  if (outputFile === undefined)
    throw new Problem(404, 'no_output', `The agent reports no output of the task ${id}.`)
  // The agent names the file. Only one that is made for outputs of tasks is read, not any file.
  if (!isOutputOf(id, outputFile))
    throw new Problem(
      404,
      'no_output',
      `The agent names a file that is no output of the task ${id}, so it is not read.`,
    )
  const part = await readFilePart(outputFile, { from: after, maxBytes })
  if (typeof part === 'string')
    throw new Problem(
      404,
      'no_output',
      `The output of the task ${id} cannot be read: its file is ${reasons[part]}.`,
    )
  return part
}

const isOutputOf = (id: string, path: string): boolean =>
  basename(path) === `${id}.output` && basename(dirname(path)) === 'tasks'

const reasons = {
  missing: 'not there (the agent may have deleted it, or it is inside the sandbox)',
  not_a_file: 'not a regular file',
  unreadable: 'not readable for the server',
} as const
