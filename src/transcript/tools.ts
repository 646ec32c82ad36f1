import { withMore } from '../events/cut.ts'
import type { BlobRef } from '../events/types.ts'
import { argsOf } from './calls.ts'
import type { ToolEntry, ToolStatus } from './entry.ts'
import { growOutput } from './grow.ts'
import { at, findLast } from './list.ts'
import { append, entryAt, openThread, putEntry, threadAt, threadNumber } from './threads.ts'
import type { EntryPosition, Incoming, Transcript } from './transcript.ts'

/** The agent wants a tool: it counts as running from here on. */
export const callTool = (transcript: Transcript, event: Incoming<'tool_call'>): Transcript =>
  addTool(transcript, event, {
    ...withArgs(nothing(event), event.input, event.blob),
    ...since(event),
  })

/** The tool begins, with the arguments that it really got. */
export const startTool = (
  transcript: Transcript,
  event: Incoming<'tool_execution_start'>,
): Transcript => {
  const { args, blob } = event
  const begun = (tool: ToolEntry) => ({
    ...(args === undefined ? tool : withArgs(tool, args, blob)),
    ...since(event),
  })
  const place = transcript.running.get(event.toolCallId)
  if (!place) return addTool(transcript, event, begun(nothing(event)))
  return changeTool(transcript, place, begun)
}

/** The tool printed something. */
export const printTool = (
  transcript: Transcript,
  event: Incoming<'tool_execution_update'>,
): Transcript =>
  changeTool(transcript, transcript.running.get(event.toolCallId), (tool) => ({
    ...tool,
    ...growOutput(tool, withMore(event.outputDelta, event.blob)),
    ...(event.blob && { outputBlobs: latest(tool.outputBlobs, event.blob) }),
    ...(event.gap && { gap: true }),
  }))

/** The tool is done, and nobody need be asked about it any more. */
export const endTool = (
  transcript: Transcript,
  event: Incoming<'tool_execution_end'>,
): Transcript => {
  const { toolCallId, timestamp, exitCode, isError, durationMs } = event
  const { result: shown, blob: shownBlob } = event
  const ended = changeTool(transcript, transcript.running.get(toolCallId), (tool) => ({
    ...tool,
    status: statusOf(event),
    ...(shown !== undefined && { shown }),
    ...(shownBlob && { shownBlob }),
    ...(exitCode !== undefined && { exitCode }),
    ...(isError !== undefined && { isError }),
    ...(durationMs !== undefined && { durationMs }),
    ...(timestamp !== undefined && { endedAt: timestamp }),
  }))
  return stopped(ended, toolCallId)
}

/** The result has joined the conversation; it takes the place of what was seen of it before. */
export const tellResult = (transcript: Transcript, event: Incoming<'tool_result'>): Transcript => {
  const { message } = event
  const status: ToolStatus = message.isError ? 'failed' : 'done'
  const told = { result: message, status, isError: message.isError }
  const place = transcript.running.get(message.toolCallId) ?? lastPlace(transcript, event)
  if (!place) return addUncalled(transcript, event, { ...nothing(message), ...told })
  const after = changeTool(
    transcript,
    place,
    ({ shown, shownBlob, outputBlobs, gap, ...tool }) => ({
      ...tool,
      ...told,
      output: '',
      dropped: 0,
    }),
  )
  return stopped(after, message.toolCallId)
}

/** The tool with other arguments. */
export const withArgs = (
  { args: _, argsBlob: __, ...tool }: ToolEntry,
  args: unknown,
  blob?: BlobRef,
): ToolEntry => ({ ...tool, ...argsOf(args, blob) })

/** The transcript with one tool changed; unchanged if there is none. */
export const changeTool = (
  transcript: Transcript,
  place: EntryPosition | undefined,
  change: (tool: ToolEntry) => ToolEntry,
): Transcript => {
  const entry = place && entryAt(transcript, place)
  return place && entry?.kind === 'tool' ? putEntry(transcript, place, change(entry)) : transcript
}

/** What never gave a result, now that its run is over. */
export const interruptTools = (transcript: Transcript): Transcript =>
  [...transcript.running.keys()].reduce(interruptTool, transcript)

const interruptTool = (transcript: Transcript, toolCallId: string): Transcript => {
  const place = transcript.running.get(toolCallId)
  const after = changeTool(transcript, place, (tool) => ({ ...tool, status: 'interrupted' }))
  return stopped(after, toolCallId)
}

const addTool = (
  transcript: Transcript,
  event: Incoming<'tool_call' | 'tool_execution_start'>,
  tool: ToolEntry,
): Transcript => {
  // An id is used again only when its last tool has ended: if we did not hear so, it was cut short.
  const free = interruptTool(transcript, event.toolCallId)
  const { transcript: opened, number } = openThread(free, event.parentToolCallId)
  const place = { thread: number, index: threadAt(opened, number).entries.length }
  const running = new Map(opened.running).set(event.toolCallId, place)
  return { ...putEntry(opened, place, tool), running }
}

/** A result without a call is still part of the conversation. */
const addUncalled = (
  transcript: Transcript,
  event: Incoming<'tool_result'>,
  tool: ToolEntry,
): Transcript => {
  const { transcript: opened, number } = openThread(transcript, event.parentToolCallId)
  return append(opened, number, tool)
}

/** A tool of which nothing is known but that it runs. */
const nothing = ({
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

/** How many pieces of output that were cut are remembered. */
const blobLimit = 32

const latest = (blobs: readonly BlobRef[] = [], blob: BlobRef): BlobRef[] =>
  [...blobs, blob].slice(-blobLimit)

const since = ({ timestamp }: { timestamp?: number }) =>
  timestamp === undefined ? undefined : { startedAt: timestamp }

const statusOf = (event: Incoming<'tool_execution_end'>): ToolStatus => {
  if (event.interrupted) return 'interrupted'
  const hasFailed = event.isError ?? (event.exitCode !== undefined && event.exitCode !== 0)
  return hasFailed ? 'failed' : 'done'
}

/** A tool that does not run waits for nobody. */
const stopped = (transcript: Transcript, toolCallId: string): Transcript => {
  const { approvals } = transcript
  const running = new Map(transcript.running)
  if (!running.delete(toolCallId)) return transcript
  const isAsked = approvals.some((each) => each.toolCallId === toolCallId)
  return {
    ...transcript,
    running,
    approvals: isAsked ? approvals.filter((each) => each.toolCallId !== toolCallId) : approvals,
  }
}

/** Where the last tool of this id is: an id may be used again once its tool has ended. */
const lastPlace = (
  transcript: Transcript,
  event: Incoming<'tool_result'>,
): EntryPosition | undefined => {
  const thread = threadNumber(transcript, event.parentToolCallId)
  if (thread === undefined) return undefined
  const { entries } = threadAt(transcript, thread)
  const index = findLast(
    entries,
    (entry) => entry.kind === 'tool' && entry.toolCallId === event.message.toolCallId,
  )
  return at(entries, index) && { thread, index }
}
