import { z } from 'zod'
import { wholeOf } from './blob-ref.ts'
import { event } from './define.ts'
import { errorCode } from './error-codes.ts'
import { contextGauge, reportedUsage, totals } from './usage.ts'

export const sessionDetails = z.strictObject({
  agentVersion: z.string().optional().describe('The version of the agent program.'),
  nativeId: z.string().optional().describe('The agent’s own session id.'),
  model: z.string().optional().describe('The model that answers in the main thread.'),
  cwd: z.string().optional().describe('The directory that the agent works in.'),
  tools: z.array(z.string()).optional().describe('Names of the tools that the model may use.'),
  contextWindow: z
    .number()
    .nonnegative()
    .optional()
    .describe('Size of the model’s context window in tokens.'),
  permissionMode: z.string().optional().describe('What the agent may do unasked, in its own word.'),
  name: z
    .string()
    .optional()
    .describe('What the person called the session; empty when it has no name any more.'),
  thinkingLevel: z
    .string()
    .optional()
    .describe('How much the model may think, in the agent’s own word.'),
})

export const agentNotice = z.strictObject({
  level: z.string().describe('How serious it is, in the agent’s own word: info, warning, error.'),
  text: z.string(),
})
/** A task of the agent: a subagent or a long command. */
export const task = z.strictObject({
  id: z.string(),
  toolCallId: z.string().optional().describe('The call that started it.'),
  kind: z.string().optional().describe('What sort of task, in the agent’s own word.'),
  status: z.string().describe('How far it is, in the agent’s own word.'),
  description: z.string().optional().describe('What it is to do.'),
  summary: z.string().optional().describe('What came of it.'),
})
export const hookRun = z.strictObject({
  id: z.string().optional().describe('The same in all updates of one hook run.'),
  name: z.string(),
  on: z.string().describe('The moment that the hook is for.'),
  status: z.string().describe('How far it is, in the agent’s own word.'),
  output: z.string().optional().describe('What the hook printed.'),
  blob: wholeOf('All that it printed, where `output` is only its beginning.'),
  exitCode: z.number().optional(),
})
export const shellRun = z.strictObject({
  id: z.string(),
  outputDelta: z.string().optional().describe('What is new since the last update.'),
  blob: wholeOf('All that is new, where `outputDelta` is only its beginning.'),
  exitCode: z.number().optional(),
  cancelled: z.boolean().optional().describe('A person stopped it.'),
})

export const sessionEvents = [
  event('session_start', 'The first event of a stream: which agent speaks, and what it is.', {
    agent: z.string().describe('Which agent: pi, claude.'),
    ...sessionDetails.shape,
  }),
  event('session_update', 'Something about the session changed; only what changed is there.', {
    ...sessionDetails.shape,
    status: z.string().optional().describe('What the agent program says it is doing.'),
    notice: agentNotice.optional().describe('A remark of the agent program for people.'),
    task: task.optional().describe('A task of the agent: a subagent or a long command.'),
    backgroundTasks: z.array(z.string()).optional().describe('Ids of what runs in the background.'),
    hook: hookRun.optional().describe('A command that the agent runs at fixed moments.'),
    shell: shellRun.optional().describe('A command that the person ran through the agent.'),
    reset: z.boolean().optional().describe('The conversation was cleared.'),
    contextTokens: z
      .number()
      .nonnegative()
      .optional()
      .describe('How full the context is, where the agent was asked.'),
    reported: reportedUsage.optional().describe('The agent’s own counters.'),
  }),
  event('usage_update', 'The account so far: tokens, money, and how full the context is.', {
    totals,
    byModel: z.record(z.string(), totals).describe('The same, by model.'),
    context: contextGauge.nullable().describe('Null until a call has told it.'),
  }),
  event('error', 'Something went wrong that is not a model message: a bad line, a dead process.', {
    code: errorCode,
    message: z.string().describe('For people.'),
    fatal: z.boolean().describe('True when the session cannot go on.'),
    bytes: z.number().optional().describe('How large the offending line was.'),
  }),
  event('raw', 'A line that Sluice does not know, kept as it came.', {
    agent: z.string().describe('Which agent printed it.'),
    line: z.unknown().describe('The parsed line.'),
    blob: wholeOf('The whole line, where `line` is only its beginning.'),
  }),
] as const
