import { z } from 'zod'
import { todoList } from './agent-lists.ts'
import { blobField, blobRef } from './blob-ref.ts'
import { snapshotBudgets } from './budget.ts'
import { errorCode } from './error-codes.ts'
import { queued, retryFields } from './flow-events.ts'
import { message, stopReason, toolResultMessage } from './message.ts'
import { turnState } from './run-events.ts'
import { agentNotice, sessionDetails, task } from './session-events.ts'
import { decisionNote, waitingApproval } from './snapshot-approval.ts'
import { choiceFields } from './start-options.ts'
import { contextGauge, runFigureFields, totals, usage } from './usage.ts'

const receivedAt = (what: string) =>
  z.number().int().optional().describe(`When Sluice received ${what}, in milliseconds since 1970.`)
const startedAt = receivedAt('the start')
const endedAt = receivedAt('the end')
const outOfContext = z
  .literal(true)
  .optional()
  .describe('Present if the model no longer sees this, because a compaction summarised it.')
const place = z
  .number()
  .int()
  .nonnegative()
  .describe('Index among all entries of the thread, starting at 0.')

export const snapshotMessage = message
  .extend({
    messageId: z.string().describe('Id of the message, unique in the session.'),
    startedAt,
    tokensBefore: z
      .number()
      .optional()
      .describe('Tokens in the context before the compaction. Only for a compaction summary.'),
    tokensAfter: z
      .number()
      .optional()
      .describe('Tokens in the context after the compaction. Only for a compaction summary.'),
    reason: z
      .string()
      .optional()
      .describe(
        'What triggered the compaction: `manual`, `threshold` or `overflow`. Only for a compaction summary.',
      ),
    outOfContext,
  })
  .describe('A message in a snapshot.')

export const partialMessage = snapshotMessage
  .extend({ place })
  .describe('A message in a snapshot that is still streaming.')

export const toolStatus = z
  .enum(['running', 'done', 'failed', 'interrupted'])
  .describe('Status of a tool call. `interrupted`: it was stopped, or its agent ended.')

const toolState = {
  args: z.unknown().optional().describe('Arguments that the tool runs with.'),
  argsBlob: blobField(
    'Reference to the complete arguments. Present when `args` is only a preview.',
  ),
  exitCode: z.number().optional().describe('Exit code. Absent if the agent does not report it.'),
  durationMs: z
    .number()
    .nonnegative()
    .optional()
    .describe('Duration in milliseconds, measured by the agent.'),
  startedAt,
  endedAt,
  waitedMs: z
    .number()
    .nonnegative()
    .optional()
    .describe(
      'How long the call waited for a person, in milliseconds. This time is not part of its work. Absent if it did not wait.',
    ),
  decision: decisionNote.optional(),
  outOfContext,
}

export const snapshotTool = z
  .strictObject({
    toolCallId: z.string().describe('Id of the tool call.'),
    toolName: z.string().describe('Name of the tool.'),
    status: toolStatus,
    output: z.string().describe('The end of the output.'),
    outputBlobs: z
      .array(blobRef)
      .optional()
      .describe(
        'References to the latest parts of the output that are only previews, oldest first.',
      ),
    dropped: z
      .number()
      .int()
      .nonnegative()
      .describe('Number of characters of the output before `output`.'),
    gap: z
      .literal(true)
      .optional()
      .describe('Present if output is missing because the agent left it out.'),
    shown: z.unknown().optional().describe('Result, as the agent displays it.'),
    shownBlob: blobField(
      'Reference to the complete result. Present when `shown` is only a preview.',
    ),
    isError: z
      .boolean()
      .optional()
      .describe('True if the tool failed. Absent if the agent does not report it.'),
    ...toolState,
    place,
  })
  .describe('A tool call in a snapshot whose result is not in the conversation.')

export const snapshotResult = toolResultMessage
  .extend({
    ...toolState,
    args: z
      .unknown()
      .optional()
      .describe('Arguments that the tool ran with. Absent if they are those of the call.'),
    interrupted: z.literal(true).optional().describe('Present if the call was stopped.'),
  })
  .describe('A tool result in a snapshot.')

export const snapshotNotice = z
  .strictObject({
    ...agentNotice.shape,
    code: errorCode.optional(),
    fatal: z.boolean().optional().describe('True if the session cannot continue.'),
    startedAt,
    place,
  })
  .describe('A line for people that is not a message: an error, or a notice of the agent program.')

export const conversation = z
  .strictObject({
    messages: z
      .array(z.union([snapshotMessage, snapshotResult]))
      .describe(
        'All messages, including tool results. `outOfContext` marks those that the model no longer sees. A message of the role `compactionSummary` stands where a compaction happened.',
      ),
    partial: partialMessage.optional().describe('The message that is still streaming.'),
    tools: z
      .array(snapshotTool)
      .optional()
      .describe(
        'Tool calls that returned no result: those that run, and those that were interrupted.',
      ),
    notices: z.array(snapshotNotice).optional().describe('Errors and notices for people.'),
  })
  .describe('The messages, tool calls and notices of one thread.')

export const subagent = z
  .strictObject({
    kind: z.string().optional().describe('Kind of subagent, in the agent’s own term.'),
    description: z.string().optional().describe('Short description of the task.'),
    prompt: z.string().optional().describe('Prompt of the subagent.'),
    isRunning: z.boolean().describe('True until the subagent ends.'),
    isError: z
      .boolean()
      .optional()
      .describe('True if the subagent failed. Absent if the agent does not report it.'),
    usage: usage
      .optional()
      .describe('Usage of the subagent. Absent if the agent does not report it.'),
  })
  .describe('A subagent that a tool call started.')

export const retry = z
  .strictObject({
    attempt: z.number().describe('Number of this retry, starting at 1.'),
    delayMs: z.number().describe('How long the agent waits before the retry, in milliseconds.'),
    ...retryFields,
    maxAttempts: z.number().optional().describe('Maximum number of retries.'),
    source: z
      .literal('compaction')
      .optional()
      .describe('Present if the failed model call was that of a compaction.'),
    startedAt,
  })
  .describe('A retry of a model call that is in progress.')

export const compaction = z
  .strictObject({
    reason: z
      .string()
      .optional()
      .describe('What triggered the compaction: `manual`, `threshold` or `overflow`.'),
    startedAt,
  })
  .describe('A compaction that is in progress.')

export const runOutcome = z
  .strictObject({
    stopReason: stopReason.optional(),
    errorMessage: z.string().optional().describe('Error message for people, if the run failed.'),
    interrupted: z
      .literal(true)
      .optional()
      .describe(
        'Present if the agent’s output ended before the agent reported the end of the run.',
      ),
    ...runFigureFields,
  })
  .describe('How a run ended.')

export const snapshotThread = z
  .strictObject({
    toolCallId: z.string().describe('Id of the tool call.'),
    subagent: subagent.optional(),
    ...conversation.shape,
  })
  .describe('The events inside one tool call.')

export const snapshotTask = task
  .extend({ startedAt, endedAt })
  .describe('A task of the agent in a snapshot.')

export const snapshot = z
  .strictObject({
    type: z.literal('snapshot'),
    sessionId: z.string().describe('Id of the session.'),
    projectId: z.string().describe('Id of the project that the session belongs to.'),
    ...conversation.shape,
    isStreaming: z.boolean().describe('True while a run is open.'),
    seq: z
      .number()
      .int()
      .nonnegative()
      .describe('The `seq` of the last event in the snapshot. The events after it follow live.'),
    cursor: z
      .string()
      .optional()
      .describe('The cursor at that event, as in the id of its frame. Pass it back unread.'),
    agent: z.string().optional().describe('Name of the agent.'),
    model: sessionDetails.shape.model,
    name: z.string().optional().describe('Name of the session.'),
    cwd: sessionDetails.shape.cwd,
    ...choiceFields,
    commands: sessionDetails.shape.commands,
    todos: todoList.optional(),
    status: z.string().optional().describe('What the agent program reports it is doing.'),
    outcome: runOutcome.optional().describe('How the last run ended.'),
    omitted: z
      .number()
      .int()
      .positive()
      .optional()
      .describe(
        'How many entries at the beginning are left out, because the conversation is too long. `GET sessions/:id/events` and the export have them.',
      ),
    threads: z.array(snapshotThread).optional().describe('The events inside tool calls.'),
    queued: queued.optional(),
    retry: retry.optional(),
    compaction: compaction.optional(),
    approvals: z.array(waitingApproval).optional().describe('Pending approvals, oldest first.'),
    usage: totals.optional().describe('Usage of the whole session.'),
    byModel: z.record(z.string(), totals).optional().describe('Usage of the session, by model.'),
    context: contextGauge.nullable().optional().describe('How full the context window is.'),
    turnState: turnState.optional(),
    budgets: snapshotBudgets,
    tasks: z
      .array(snapshotTask)
      .optional()
      .describe('The latest tasks of the agent, oldest first.'),
    backgroundTasks: z
      .array(z.string())
      .optional()
      .describe('Ids of the tasks that run in the background.'),
  })
  .describe(
    'The whole state of a session, including what is still streaming. Always the first event of a new connection.',
  )
