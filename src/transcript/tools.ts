import { withMoreLine } from '../events/blob-preview.ts'
import type { BlobRef, ToolStatus } from '../events/types.ts'
import { defined } from '../shared/fields.ts'
import { argsOf } from './calls.ts'
import type { ToolEntry } from './entry.ts'
import { growOutput } from './grow.ts'
import { findLastIndex, itemAt } from './list.ts'
import { appendEntry, entryAt, openThread, putEntry, threadAt, threadNumber } from './threads.ts'
import type { EntryPosition, Incoming, Transcript } from './transcript.ts'

/** The agent calls a tool. The tool counts as running from here on. */
export const callTool = (transcript: Transcript, event: Incoming<'tool_call'>): Transcript =>
  addTool(transcript, event, {
    ...withArgs(newTool(event), event.input, event.blob),
    ...startTime(event),
  })

/** The tool starts, with the arguments that it actually runs with. */
export const startTool = (
  transcript: Transcript,
  event: Incoming<'tool_execution_start'>,
): Transcript => {
  const { args, blob } = event
  // What it waited before its start is not part of its time.
  const started = ({ waitedMs: _, ...tool }: ToolEntry): ToolEntry => ({
    ...(args === undefined ? tool : withArgs(tool, args, blob)),
    ...startTime(event),
  })
  const position = transcript.running.get(event.toolCallId)
  if (!position) return addTool(transcript, event, started(newTool(event)))
  return changeTool(transcript, position, started)
}

/** The tool printed output. */
export const appendOutput = (
  transcript: Transcript,
  event: Incoming<'tool_execution_update'>,
): Transcript =>
  changeTool(transcript, transcript.running.get(event.toolCallId), (tool) => ({
    ...tool,
    ...growOutput(tool, withMoreLine(event.outputDelta, event.blob)),
    ...(event.blob && { outputBlobs: latest(tool.outputBlobs, event.blob) }),
    ...(event.gap && { gap: true }),
  }))

/** The tool ended. Its pending approvals are dropped: there is nothing left to decide. */
export const endTool = (
  transcript: Transcript,
  event: Incoming<'tool_execution_end'>,
): Transcript => {
  const { toolCallId, timestamp, exitCode, isError, durationMs } = event
  const { result: shown, blob: shownBlob } = event
  const ended = changeTool(transcript, transcript.running.get(toolCallId), (tool) => ({
    ...tool,
    status: statusOf(event),
    ...defined({ shown, shownBlob, exitCode, isError, durationMs, endedAt: timestamp }),
  }))
  return withoutRunning(ended, toolCallId)
}

/**
 * The result joins the conversation. It replaces the streamed output. That of a call which never
 * returned only says so: what the call has printed stays.
 */
export const addResult = (transcript: Transcript, event: Incoming<'tool_result'>): Transcript => {
  const { message } = event
  if (message.interrupted) return interruptTool(transcript, message.toolCallId)
  const status: ToolStatus = message.isError ? 'failed' : 'done'
  const result = { result: message, status, isError: message.isError }
  /** A call that was stopped has a result for the model, too. */
  const statusAfter = (tool: ToolEntry) =>
    tool.status === 'interrupted' && message.isError ? tool.status : status
  const position = transcript.running.get(message.toolCallId) ?? lastPosition(transcript, event)
  if (!position) return addUncalled(transcript, event, { ...newTool(message), ...result })
  const after = changeTool(
    transcript,
    position,
    ({ shown, shownBlob, outputBlobs, gap, ...tool }) => ({
      ...tool,
      ...result,
      status: statusAfter(tool),
      output: '',
      dropped: 0,
    }),
  )
  return withoutRunning(after, message.toolCallId)
}

/** The tool with its arguments replaced. */
export const withArgs = (
  { args: _, argsBlob: __, ...tool }: ToolEntry,
  args: unknown,
  blob?: BlobRef,
): ToolEntry => ({ ...tool, ...argsOf(args, blob) })

/** The transcript with one tool changed; the same transcript if there is no tool at the position. */
export const changeTool = (
  transcript: Transcript,
  position: EntryPosition | undefined,
  change: (tool: ToolEntry) => ToolEntry,
): Transcript => {
  const entry = position && entryAt(transcript, position)
  return position && entry?.kind === 'tool'
    ? putEntry(transcript, position, change(entry))
    : transcript
}

/** Begins the ids of shell commands of people. They belong to no run. */
export const shellCallPrefix = 'shell:'

/** Whether a tool call id belongs to a shell command of a person. */
export const isShellCall = (toolCallId: string): boolean => toolCallId.startsWith(shellCallPrefix)

/** Marks the running tools as interrupted, because their run has ended, except those of some threads. */
export const interruptTools = (transcript: Transcript, exceptIn: ReadonlySet<number>): Transcript =>
  [...transcript.running]
    .filter(([id, { thread }]) => !exceptIn.has(thread) && !isShellCall(id))
    .reduce((after, [toolCallId]) => interruptTool(after, toolCallId), transcript)

const interruptTool = (transcript: Transcript, toolCallId: string): Transcript => {
  const position = transcript.running.get(toolCallId)
  const after = changeTool(transcript, position, (tool) => ({ ...tool, status: 'interrupted' }))
  return withoutRunning(after, toolCallId)
}

const addTool = (
  transcript: Transcript,
  event: Incoming<'tool_call' | 'tool_execution_start'>,
  tool: ToolEntry,
): Transcript => {
  // An id is reused only after its last tool ended, so one that still runs was cut short.
  const free = interruptTool(transcript, event.toolCallId)
  const { transcript: opened, number } = openThread(free, event.parentToolCallId)
  const position = { thread: number, index: threadAt(opened, number).entries.length }
  const running = new Map(opened.running).set(event.toolCallId, position)
  return { ...putEntry(opened, position, tool), running }
}

/** Adds a result whose call is not in the transcript. */
const addUncalled = (
  transcript: Transcript,
  event: Incoming<'tool_result'>,
  tool: ToolEntry,
): Transcript => {
  const { transcript: opened, number } = openThread(transcript, event.parentToolCallId)
  return appendEntry(opened, number, tool)
}

const newTool = ({
  toolCallId,
  toolName,
}: {
  toolCallId: string
  toolName: string
}): ToolEntry => ({
  kind: 'tool',
  toolCallId,
  toolName,
  status: 'running',
  output: '',
  dropped: 0,
})

/** How many blobs of output a tool lists. */
const blobLimit = 32

const latest = (blobs: readonly BlobRef[] = [], blob: BlobRef): BlobRef[] =>
  [...blobs, blob].slice(-blobLimit)

const startTime = ({ timestamp }: { timestamp?: number }) =>
  timestamp === undefined ? undefined : { startedAt: timestamp }

const statusOf = (event: Incoming<'tool_execution_end'>): ToolStatus => {
  if (event.interrupted) return 'interrupted'
  const hasFailed = event.isError ?? (event.exitCode !== undefined && event.exitCode !== 0)
  return hasFailed ? 'failed' : 'done'
}

/** The transcript with a tool no longer running, and without approvals that wait for it. */
const withoutRunning = (transcript: Transcript, toolCallId: string): Transcript => {
  const { approvals } = transcript
  const running = new Map(transcript.running)
  if (!running.delete(toolCallId)) return transcript
  const hasApproval = approvals.some((each) => each.toolCallId === toolCallId)
  return {
    ...transcript,
    running,
    approvals: hasApproval ? approvals.filter((each) => each.toolCallId !== toolCallId) : approvals,
  }
}

/** The position of the last tool with this id: an ended tool’s id may have been reused. */
const lastPosition = (
  transcript: Transcript,
  event: Incoming<'tool_result'>,
): EntryPosition | undefined => {
  const thread = threadNumber(transcript, event.parentToolCallId)
  if (thread === undefined) return undefined
  const { entries } = threadAt(transcript, thread)
  const index = findLastIndex(
    entries,
    (entry) => entry.kind === 'tool' && entry.toolCallId === event.message.toolCallId,
  )
  return itemAt(entries, index) && { thread, index }
}
