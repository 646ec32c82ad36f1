import { z } from 'zod'
import { blobRef, wholeOf } from './blob-ref.ts'
import { errorCode } from './error-codes.ts'
import { queued } from './flow-events.ts'
import { message, stopReason, toolResultMessage } from './message.ts'
import { turnState } from './run-events.ts'
import { task } from './session-events.ts'
import { approvalAction, approvalFields, approvalOutcome } from './tool-events.ts'
import { contextGauge, totals, usage } from './usage.ts'

const time = z.number().int().optional().describe('ms since 1970.')
const place = z
  .number()
  .int()
  .nonnegative()
  .describe('Where it stands among all entries of its thread, from 0.')

export const decisionNote = z.strictObject({
  action: approvalAction,
  outcome: approvalOutcome,
  by: z.string().optional(),
  message: z.string().optional(),
})

export const snapshotMessage = message.extend({
  messageId: z.string(),
  startedAt: time,
  tokensBefore: z.number().optional(),
  tokensAfter: z.number().optional(),
})

export const partialMessage = snapshotMessage.extend({ place })

const toolState = {
  args: z.unknown().optional(),
  argsBlob: wholeOf('The whole arguments, where `args` is only their beginning.'),
  exitCode: z.number().optional(),
  durationMs: z.number().nonnegative().optional(),
  startedAt: time,
  endedAt: time,
  decision: decisionNote.optional().describe('What was decided about it.'),
}

export const toolStatus = z.enum(['running', 'done', 'failed', 'interrupted'])

export const snapshotTool = z.strictObject({
  toolCallId: z.string(),
  toolName: z.string(),
  status: toolStatus,
  output: z.string().describe('The end of what it printed.'),
  outputBlobs: z
    .array(blobRef)
    .optional()
    .describe('The latest pieces of output that `output` has only the beginning of, oldest first.'),
  dropped: z.number().int().nonnegative().describe('Characters of output before that.'),
  gap: z.literal(true).optional(),
  shown: z.unknown().optional(),
  shownBlob: wholeOf('The whole of what it gave, where `shown` is only its beginning.'),
  isError: z.boolean().optional(),
  ...toolState,
  place,
})

export const snapshotNotice = z.strictObject({
  level: z.string(),
  text: z.string(),
  code: errorCode.optional(),
  fatal: z.boolean().optional(),
  startedAt: time,
  place,
})

export const snapshotResult = toolResultMessage.extend(toolState)

export const conversation = z.strictObject({
  messages: z
    .array(z.union([snapshotMessage, snapshotResult]))
    .describe('What was said, tool results included.'),
  partial: partialMessage.optional().describe('The message in flight.'),
  tools: z
    .array(snapshotTool)
    .optional()
    .describe('Tools that have given no result: those that run, and those that were cut short.'),
  notices: z.array(snapshotNotice).optional().describe('Errors and remarks for people.'),
})

export const subagent = z.strictObject({
  kind: z.string().optional(),
  description: z.string().optional(),
  prompt: z.string().optional(),
  isRunning: z.boolean(),
  isError: z.boolean().optional(),
  usage: usage.optional(),
})

export const retry = z.strictObject({
  attempt: z.number(),
  delayMs: z.number(),
  reason: z.string(),
  maxAttempts: z.number().optional(),
  source: z.literal('compaction').optional(),
  startedAt: time,
})

export const compaction = z.strictObject({ reason: z.string().optional(), startedAt: time })

export const runOutcome = z.strictObject({
  stopReason: stopReason.optional(),
  errorMessage: z.string().optional(),
  interrupted: z.literal(true).optional(),
})

export const snapshotThread = z.strictObject({
  toolCallId: z.string(),
  subagent: subagent.optional(),
  ...conversation.shape,
})

export const waitingApproval = z.strictObject({
  ...approvalFields,
  parentToolCallId: z.string().optional(),
})

/** The whole state of a session: always the first event of a new connection. */
export const snapshot = z
  .strictObject({
    type: z.literal('snapshot'),
    sessionId: z.string(),
    projectId: z.string().describe('The project that the session belongs to.'),
    ...conversation.shape,
    isStreaming: z.boolean().describe('Whether a run is open.'),
    seq: z.number().int().nonnegative().describe('Everything after this follows live.'),
    agent: z.string().optional(),
    model: z.string().optional(),
    name: z.string().optional(),
    cwd: z.string().optional(),
    thinkingLevel: z
      .string()
      .optional()
      .describe('How much the model may think, in the agent’s own word.'),
    status: z
      .string()
      .optional()
      .describe('What the agent program says it is doing, until its run is over.'),
    outcome: runOutcome.optional().describe('How the last run ended.'),
    threads: z.array(snapshotThread).optional().describe('What happened inside calls.'),
    queued: queued.optional(),
    retry: retry.optional(),
    compaction: compaction.optional(),
    approvals: z.array(waitingApproval).optional().describe('Requests that wait for a decision.'),
    usage: totals.optional().describe('The account so far.'),
    byModel: z.record(z.string(), totals).optional(),
    context: contextGauge.nullable().optional(),
    turnState: turnState.optional(),
    tasks: z.array(task).optional(),
    backgroundTasks: z.array(z.string()).optional(),
  })
  .describe('Always first on a new connection: the whole state, in flight parts included.')
