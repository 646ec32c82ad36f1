import { toolKindOf } from '../../../src/agents/tool-calls/tool-kind.ts'
import type { StampedEvent } from '../../../src/events/index.ts'
import type { Hunk } from '../diff/rows.ts'
import { editDiff } from '../tools/edit-diff.ts'

/** What the edits of a run had changed in one file, up to a moment. */
export interface PastChange {
  readonly path: string
  readonly status: 'added' | 'modified' | 'written'
  /** The hunks of each edit, in the order of the edits. */
  readonly hunks: readonly Hunk[]
}

/**
 * What the run of a moment had changed until then, from the results of its edits. What the project
 * looked like at that moment is not stored, so changes by a shell are missing.
 */
export const changesAt = (events: readonly StampedEvent[], position: number): PastChange[] => {
  const files = new Map<string, PastChange>()
  const inputs = new Map<string, unknown>()
  for (const event of events.slice(runStart(events, position), position)) {
    if (event.type === 'tool_call') inputs.set(event.toolCallId, event.input)
    if (event.type === 'approval_resolved' && event.updatedInput !== undefined)
      inputs.set(event.toolCallId ?? '', event.updatedInput)
    if (event.type !== 'tool_result' || event.message.isError) continue
    const { toolName, toolCallId, details } = event.message
    if (toolKindOf(toolName) === 'edit') addEdit(files, inputs.get(toolCallId), details)
  }
  return [...files.values()]
}

/** The index of the last `agent_start` before a position; the position itself if there is none. */
const runStart = (events: readonly StampedEvent[], position: number): number => {
  for (let index = position - 1; index >= 0; index -= 1)
    if (events[index]?.type === 'agent_start') return index
  return position
}

const addEdit = (files: Map<string, PastChange>, args: unknown, details: unknown): void => {
  const { path, hunks, isAgainstFile, isWhole, isNewFile } = editDiff(args, details)
  if (isAgainstFile && hunks.length === 0) return
  const before = files.get(path)
  const status = isNewFile ? 'added' : isWhole && !isAgainstFile ? 'written' : 'modified'
  // What a whole file replaces is no longer there.
  const earlier = before && status !== 'written' ? before.hunks : []
  files.set(path, { path, status: before?.status ?? status, hunks: [...earlier, ...hunks] })
}
