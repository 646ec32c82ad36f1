import { z } from 'zod'
import { agentCommandList, todoList } from './agent-lists.ts'
import { blobField } from './blob-ref.ts'
import { budgetUse } from './budget.ts'
import { capabilityChanges } from './capabilities.ts'
import { defineEvent } from './define-event.ts'
import { errorCode } from './error-codes.ts'
import { keptFrom } from './kept-from.ts'
import { choiceFields } from './start-options.ts'
import { contextGauge, reportedUsage, totals } from './usage.ts'

export const sessionState = z
  .enum(['idle', 'running', 'ended'])
  .describe(
    'State of a session. `idle`: waits for input. `running`: a run is open. `ended`: accepts no more input.',
  )

export const importedFrom = z
  .strictObject({
    at: z.number().int().describe('When it was imported, in milliseconds since 1970.'),
    redacted: z
      .literal(true)
      .optional()
      .describe('Present if keys, tokens, addresses and home paths were hidden in the file.'),
  })
  .describe('Present if the session came from a file. It is read-only.')

export const presenceState = z
  .enum(['working', 'waiting', 'idle', 'alive', 'gone', 'unknown'])
  .describe(
    'What the agent’s own process does. `waiting`: it waits for a person, such as at a permission prompt. `alive`: it works while `state` is `running`. `gone`: no process works in the session. `unknown`: the machine does not say.',
  )

export const presence = z
  .strictObject({
    state: presenceState,
    pid: z
      .number()
      .int()
      .positive()
      .optional()
      .describe('The process. With `unknown`, one that may work in the session.'),
    waitingFor: z.string().optional().describe('What it waits for, in the words of the agent.'),
  })
  .describe('Whether the agent still works in the session, outside Sluice.')

export const watchedFrom = z
  .strictObject({
    nativeId: z.string().min(1).describe('The agent’s own id of the session.'),
    since: z
      .number()
      .int()
      .describe('When Sluice first read the session, in milliseconds since 1970.'),
    file: z
      .string()
      .optional()
      .describe('Path of the file or database in which the agent stores the session.'),
    read: z
      .string()
      .optional()
      .describe('Which state of the files Sluice has read to the end: their sizes and times.'),
    presence: presence
      .optional()
      .describe('Absent while the session has not changed since Sluice first read it.'),
    beginning: z
      .string()
      .optional()
      .describe('The agent’s own id of the first message. Copies of a conversation share it.'),
    node: z
      .string()
      .optional()
      .describe(
        'The node on whose machine the agent runs. Only where several nodes share the log.',
      ),
    inherited: reportedUsage
      .optional()
      .describe('Of a copy of another conversation: the totals that it began with.'),
    unpaidCalls: z
      .number()
      .int()
      .optional()
      .describe(
        'How many of its first calls the agent’s totals leave out: the copy was read before its original.',
      ),
  })
  .describe(
    'Present if the agent runs outside Sluice, such as in a terminal, and Sluice reads what the agent stores. The session is read-only.',
  )

/** Where a session comes from that Sluice does not run. */
export const originFields = {
  imported: importedFrom.optional(),
  watched: watchedFrom.optional(),
}

export const sessionDamage = z
  .strictObject({
    reason: z.string().describe('What cannot be read, for people.'),
    seq: z
      .number()
      .int()
      .positive()
      .optional()
      .describe('The first event that cannot be read. Absent when all events can be read.'),
  })
  .describe('Why a session accepts no prompts: a part of what is stored of it is damaged.')

export const sessionDetails = z
  .strictObject({
    agentVersion: z.string().optional().describe('Version of the agent program.'),
    nativeId: z.string().optional().describe('The agent’s own id of the session.'),
    model: z.string().optional().describe('Model of the main thread.'),
    cwd: z.string().optional().describe('Working directory of the agent.'),
    tools: z.array(z.string()).optional().describe('Names of the tools that the model can call.'),
    contextWindow: z
      .number()
      .nonnegative()
      .optional()
      .describe('Size of the model’s context window, in tokens.'),
    ...choiceFields,
    name: z
      .string()
      .optional()
      .describe('Name of the session. An empty string means that the name was removed.'),
    commands: agentCommandList.optional(),
  })
  .describe('What an agent reports about its session. Fields that it does not report are absent.')

export const agentNotice = z
  .strictObject({
    level: z.string().describe('Severity, in the agent’s own term: `info`, `warning` or `error`.'),
    text: z.string().describe('Text of the notice.'),
  })
  .describe('A notice of the agent program for people.')

export const taskState = z
  .enum(['running', 'completed', 'failed', 'stopped'])
  .describe(
    'State of a task. `stopped`: it was ended before it was done, or it ended with the agent.',
  )

export const task = z
  .strictObject({
    id: z.string().describe('Id of the task.'),
    toolCallId: z.string().optional().describe('Id of the tool call that started the task.'),
    kind: z.string().optional().describe('Kind of task, in the agent’s own term.'),
    state: taskState,
    status: z.string().describe('Progress of the task, in the agent’s own term.'),
    isBackground: z
      .boolean()
      .optional()
      .describe('True if the task continues when the run ends. Absent if that is not known yet.'),
    description: z.string().optional().describe('What the task should do.'),
    activity: z.string().optional().describe('What the task does at the moment.'),
    summary: z.string().optional().describe('Result of the task.'),
    outputFile: z
      .string()
      .optional()
      .describe(
        'File that the agent writes the output of the task to. `GET sessions/:id/tasks/:taskId/output` reads it.',
      ),
  })
  .describe('A task of the agent: a subagent or a long-running command.')

export const hookRun = z
  .strictObject({
    id: z.string().optional().describe('Id of the hook run, the same in all its updates.'),
    name: z.string().describe('Name of the hook.'),
    on: z.string().describe('When the hook runs, in the agent’s own term.'),
    status: z.string().describe('Progress of the hook run, in the agent’s own term.'),
    output: z.string().optional().describe('Output of the hook.'),
    blob: blobField('Reference to the complete output. Present when `output` is only a preview.'),
    exitCode: z.number().optional().describe('Exit code of the hook.'),
  })
  .describe('One run of a hook: a command that the agent runs at a fixed point of its work.')

export const shellRun = z
  .strictObject({
    id: z.string().describe('Id of the command, the same in all its updates.'),
    command: z.string().optional().describe('The command. Only in its first update.'),
    outputDelta: z.string().optional().describe('Output since the previous update.'),
    blob: blobField(
      'Reference to the complete output since the previous update. Present when `outputDelta` is only a preview.',
    ),
    exitCode: z.number().optional().describe('Exit code of the command.'),
    cancelled: z.boolean().optional().describe('True if the command was stopped.'),
  })
  .describe('A shell command that a person runs through the agent.')

export const rateLimit = z
  .strictObject({
    status: z
      .string()
      .describe(
        'In the agent’s own term: `allowed`, `allowed_warning`, or `rejected` if it is used up.',
      ),
    kind: z.string().optional().describe('Which limit, in the agent’s own term: `five_hour`.'),
    resetsAt: z
      .number()
      .int()
      .optional()
      .describe('When the limit is free again, in milliseconds since 1970.'),
    utilization: z
      .number()
      .nonnegative()
      .optional()
      .describe('How much of it is used, as the agent reports it.'),
  })
  .describe('A rate limit of the provider, as the agent reports it.')

export const sessionEvents = [
  defineEvent('session_start', 'The first event of a session. Identifies the agent.', {
    agent: z.string().describe('Name of the agent, such as `pi` or `claude`.'),
    ...sessionDetails.shape,
  }),
  defineEvent(
    'session_update',
    'Something about the session changed. Contains only the fields that changed.',
    {
      ...sessionDetails.shape,
      status: z.string().optional().describe('What the agent program reports it is doing.'),
      by: z.string().optional().describe('Who requested the change, if somebody did.'),
      notice: agentNotice.optional(),
      task: task.optional(),
      backgroundTasks: z
        .array(z.string())
        .optional()
        .describe('Ids of the tasks that run in the background.'),
      todos: todoList.optional(),
      hook: hookRun.optional(),
      shell: shellRun.optional(),
      reset: z
        .boolean()
        .optional()
        .describe(
          'True if the agent started a new conversation. The model no longer sees what was said before.',
        ),
      contextTokens: z
        .number()
        .nonnegative()
        .optional()
        .describe('Tokens in the context window, as the agent reports them.'),
      keptFrom: keptFrom.optional(),
      reported: reportedUsage.optional(),
      rateLimit: rateLimit.optional(),
      capabilities: capabilityChanges.optional(),
    },
  ),
  defineEvent(
    'usage_update',
    'Usage of the session so far: tokens, cost and context. Replaces the previous one.',
    {
      totals: totals.describe('Usage of the whole session.'),
      byModel: z.record(z.string(), totals).describe('Usage of the whole session, by model.'),
      context: contextGauge
        .nullable()
        .describe('How full the context window is. Null until the first model call ends.'),
      priceList: z
        .string()
        .optional()
        .describe(
          'The price list of the computed part of the cost: name, version and date. Absent if nothing in it was computed.',
        ),
    },
  ),
  defineEvent(
    'budget_update',
    'A limit is nearly used, is reached, was raised, or counts from zero again. Emitted in every session that it holds for.',
    {
      level: z
        .enum(['warning', 'exceeded', 'raised', 'renewed'])
        .describe(
          '`warning`: 80 % of the limit are used. `exceeded`: all of it is used, and the agent is paused or stopped. `raised`: somebody raised the limit. `renewed`: a new day has begun, so that the limit of a day counts from zero; an agent that it has paused goes on.',
        ),
      budget: budgetUse,
      by: z.string().optional().describe('Who raised the limit.'),
    },
  ),
  defineEvent(
    'error',
    'Something failed outside a model message, such as an unreadable line or an exited process.',
    {
      code: errorCode,
      message: z.string().describe('Error message for people.'),
      fatal: z.boolean().describe('True if the session cannot continue.'),
      bytes: z.number().optional().describe('Size of the line that failed, in bytes.'),
    },
  ),
  defineEvent('raw', 'A line of agent output that Sluice does not recognise, unchanged.', {
    agent: z.string().describe('Name of the agent that printed the line.'),
    line: z.unknown().describe('The parsed line.'),
    blob: blobField('Reference to the complete line. Present when `line` is only a preview.'),
  }),
] as const
