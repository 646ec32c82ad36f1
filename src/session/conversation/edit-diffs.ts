import type { Agent } from '../../agents/agent.ts'
import type { ApprovalReply } from '../../agents/live.ts'
import { fileEditOf } from '../../agents/tool-calls/file-edit.ts'
import type { EventOf } from '../../events/types.ts'
import { finishedDiff, type StartedEdit, startEdit } from '../../preview/edit-hunks.ts'
import { fieldsOf, isFields } from '../../shared/fields.ts'

/**
 * The diffs of edits whose agent reports none, such as a file that Pi writes. The file is read before
 * the agent may change it.
 */
export interface EditDiffs {
  /** Reads the file of an edit that is about to be allowed; undefined if there is nothing to wait for. */
  allowing(
    request: EventOf<'approval_request'>,
    answer: ApprovalReply,
  ): Promise<unknown> | undefined
  /** A result, with the diff of its edit in `details.diff` if the agent reports none. */
  withDiff(event: EventOf<'tool_result'>): EventOf<'tool_result'>
  /** The run has ended: no more results come. */
  clear(): void
}

export const createEditDiffs = (agent: Pick<Agent, 'knownCall'>, cwd: string): EditDiffs => {
  const started = new Map<string, StartedEdit>()

  /** A second edit of a file that is being changed: what it will find there is not certain. */
  const isBeingChanged = (path: string): boolean =>
    [...started.values()].some((each) => each.path === path)

  return {
    allowing({ toolCallId, toolName = '', args }, answer) {
      if (answer.action !== 'allow' || toolCallId === undefined) return undefined
      const call = agent.knownCall?.(toolName, answer.updatedInput ?? args)
      if (call?.kind !== 'edit' || isBeingChanged(call.path)) return undefined
      return startEdit(call, cwd).then(
        (edit) => edit && started.set(toolCallId, edit),
        // Without the file there is no diff, and the answer goes out all the same.
        () => undefined,
      )
    },
    withDiff(event) {
      const { message } = event
      const edit = started.get(message.toolCallId)
      if (!edit) return event
      started.delete(message.toolCallId)
      const { details } = message
      if (message.isError || hasDiff(details)) return event
      if (details !== undefined && !isFields(details)) return event
      const diff = finishedDiff(edit)
      if (diff === undefined) return event
      return { ...event, message: { ...message, details: { ...fieldsOf(details), diff } } }
    },
    clear: () => started.clear(),
  }
}

/** Whether the agent itself reports what changed. */
const hasDiff = (details: unknown): boolean => {
  const { hunks, patch, diff } = fileEditOf(undefined, details)
  return hunks.length > 0 || patch !== undefined || diff !== undefined
}
