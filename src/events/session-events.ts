import { z } from 'zod'
import { event } from './define.ts'
import { contextGauge, reportedUsage, totals } from './usage.ts'

const about = {
  agentVersion: z.string().optional(),
  nativeId: z.string().optional().describe('The agent’s own session id.'),
  model: z.string().optional(),
  cwd: z.string().optional(),
  tools: z.array(z.string()).optional(),
  contextWindow: z.number().nonnegative().optional(),
  permissionMode: z.string().optional(),
  name: z.string().optional(),
  thinkingLevel: z.string().optional(),
}

const notice = z.strictObject({ level: z.string(), text: z.string() })
const task = z.strictObject({
  id: z.string(),
  toolCallId: z.string().optional(),
  kind: z.string().optional(),
  status: z.string(),
  description: z.string().optional(),
  summary: z.string().optional(),
})
const hook = z.strictObject({
  id: z.string().optional(),
  name: z.string(),
  on: z.string().describe('The moment that the hook is for.'),
  status: z.string(),
  output: z.string().optional(),
  exitCode: z.number().optional(),
})
const shell = z.strictObject({
  id: z.string(),
  outputDelta: z.string().optional(),
  exitCode: z.number().optional(),
  cancelled: z.boolean().optional(),
})

export const sessionEvents = [
  event('session_start', 'The first event of a stream: which agent speaks, and what it is.', {
    agent: z.string(),
    ...about,
  }),
  event('session_update', 'Something about the session changed; only what changed is there.', {
    ...about,
    status: z.string().optional().describe('What the agent program says it is doing.'),
    notice: notice.optional().describe('A remark of the agent program for people.'),
    task: task.optional().describe('A task of the agent: a subagent or a long command.'),
    backgroundTasks: z.array(z.string()).optional().describe('Ids of what runs in the background.'),
    hook: hook.optional(),
    shell: shell.optional().describe('A command that the person ran through the agent.'),
    reset: z.boolean().optional().describe('The conversation was cleared.'),
    reported: reportedUsage.optional().describe('The agent’s own counters.'),
  }),
  event('usage_update', 'The account so far: tokens, money, and how full the context is.', {
    totals,
    byModel: z.record(z.string(), totals),
    context: contextGauge.nullable(),
  }),
  event('error', 'Something went wrong that is not a model message: a bad line, a dead process.', {
    code: z.string().describe('Stable, for programs.'),
    message: z.string().describe('For people.'),
    fatal: z.boolean().describe('True when the session cannot go on.'),
    bytes: z.number().optional().describe('How large the offending line was.'),
  }),
  event('raw', 'A line that Sluice does not know: kept, counted, never thrown.', {
    agent: z.string(),
    line: z.unknown(),
  }),
] as const
