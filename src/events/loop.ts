import { z } from 'zod'
import { onExceeded } from './budget.ts'
import { startInfo } from './start-options.ts'
import { contextGauge, totals } from './usage.ts'

const positive = z.number().int().positive()
const time = (description: string) =>
  z.number().int().describe(`${description}, in milliseconds since 1970.`)

export const loopState = z
  .enum(['running', 'waiting', 'paused', 'done'])
  .describe(
    '`running`: an iteration is going on. `waiting`: the next one starts at `nextAt`. `paused`: a person must resume the loop. `done`: the loop is over, and `end` says why.',
  )

export const loopWait = z
  .enum(['schedule', 'rate_limit', 'retry'])
  .describe(
    'What a loop waits for. `schedule`: its next time. `rate_limit`: the end of a rate limit. `retry`: a short pause after a failure.',
  )

export const loopEndReason = z
  .enum([
    'promise',
    'max_iterations',
    'max_duration',
    'max_cost',
    'max_tokens',
    'max_failures',
    'max_stale',
    'budget',
    'stopped',
    'failed',
  ])
  .describe(
    'Why a loop ended. `promise`: the agent reported that everything is done. `max_…`: this limit was met. `budget`: a budget of the session, project or day stopped it. `stopped`: a person stopped it. `failed`: no iteration could start.',
  )

export const iterationOutcome = z
  .enum([
    'completed',
    'promise',
    'failed',
    'idle_timeout',
    'rate_limited',
    'limit',
    'aborted',
    'interrupted',
  ])
  .describe(
    'How an iteration ended. `completed`: without the promise. `promise`: with it. `idle_timeout`: the agent was silent for too long. `rate_limited`: by a rate limit. `limit`: a limit of the loop was met. `aborted`: a person stopped the run. `interrupted`: Sluice was ended.',
  )

export const loopSchedule = z
  .strictObject({
    everyMs: z
      .number()
      .int()
      .min(1000)
      .max(366 * 24 * 60 * 60 * 1000)
      .optional()
      .describe('Time between the starts of two iterations, in milliseconds: at most 366 days.'),
    cron: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('When iterations start, in cron syntax: `0 3 * * *` is every night at three.'),
    timezone: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Time zone of `cron`, such as `Europe/Zurich`. Default: that of the machine.'),
  })
  .describe('When iterations start: either `everyMs` or `cron`.')

export const loopLimits = z
  .strictObject({
    maxIterations: positive.optional().describe('Number of iterations.'),
    maxDurationMs: positive
      .optional()
      .describe('Time that iterations may take together, in milliseconds. Waits do not count.'),
    maxCostUsd: z.number().positive().optional().describe('Cost in US dollars.'),
    maxTokens: positive.optional().describe('Number of tokens of all kinds.'),
    maxFailures: positive.optional().describe('Number of iterations that fail in a row.'),
    maxStale: positive
      .optional()
      .describe('Number of iterations in a row that end with the same text.'),
    idleTimeoutMs: positive
      .optional()
      .describe(
        'An iteration whose agent does nothing for this time is stopped, in milliseconds. It counts as failed.',
      ),
  })
  .describe(
    'Limits of a loop. It ends when the first one is met. A limit that is absent is not set.',
  )

export const loopEnd = z
  .strictObject({
    reason: loopEndReason,
    message: z.string().describe('Why the loop ended, for people.'),
    at: time('When the loop ended'),
  })
  .describe('How a loop ended.')

export const loopIteration = z
  .strictObject({
    iteration: positive.describe('Number of the iteration, from 1.'),
    sessionId: z.string().describe('Id of its session.'),
    startedAt: time('When the iteration started'),
    durationMs: z
      .number()
      .nonnegative()
      .optional()
      .describe('How long it took, in milliseconds. Absent while it runs.'),
    turns: z.number().int().nonnegative().optional().describe('Number of completed model calls.'),
    usage: totals.optional().describe('Tokens and cost of the iteration.'),
    context: contextGauge.optional().describe('How full the context window was at its end.'),
    outcome: iterationOutcome.optional().describe('How it ended. Absent while it runs.'),
    message: z.string().max(500).optional().describe('What went wrong, for people.'),
  })
  .describe('One iteration of a loop.')

/** The fields of a session that is an iteration of a loop. */
export const loopFields = {
  loopId: z.string().optional().describe('Id of the loop that the session is an iteration of.'),
  iteration: positive.optional().describe('Number of the iteration in its loop, from 1.'),
}

export const loopInfo = z
  .strictObject({
    id: z.string().min(1).describe('Id of the loop.'),
    name: z.string().max(200).optional().describe('Name that a person gave to the loop.'),
    agent: z.string().describe('Name of the agent, such as `pi` or `claude`.'),
    model: z.string().optional().describe('Name of the model. Default: the agent’s own choice.'),
    projectId: z.string().optional().describe('Id of the project.'),
    cwd: z.string().describe('Working directory of the agent.'),
    prompt: z.string().optional().describe('The prompt of each iteration.'),
    promptFile: z
      .string()
      .optional()
      .describe('Path of the file with the prompt. It is read again for each iteration.'),
    promise: z
      .string()
      .min(1)
      .max(200)
      .describe('The loop is over when the last line of an answer is this.'),
    limits: loopLimits,
    schedule: loopSchedule.optional(),
    onExceeded: onExceeded
      .optional()
      .describe('`stop`: a budget that is used up ends the loop. Default: what the budget sets.'),
    start: startInfo.optional(),
    state: loopState,
    waitsFor: loopWait.optional().describe('Only if `state` is `waiting`.'),
    nextAt: time('When the next iteration starts').optional(),
    pauseRequested: z
      .literal(true)
      .optional()
      .describe('Present if the loop pauses after the iteration that is going on.'),
    pauseReason: z.string().max(500).optional().describe('Why the loop is paused, for people.'),
    end: loopEnd.optional(),
    createdAt: time('When the loop was created'),
    updatedAt: time('When the loop last changed'),
    iterationCount: z.number().int().nonnegative().describe('Number of iterations that started.'),
    durationMs: z
      .number()
      .nonnegative()
      .describe('How long the finished iterations took together, in milliseconds.'),
    usage: totals.describe('Tokens and cost of the finished iterations.'),
    failures: z.number().int().nonnegative().describe('Iterations that failed in a row.'),
    stale: z
      .number()
      .int()
      .nonnegative()
      .describe('Iterations in a row that ended with the same text.'),
    iterations: z
      .array(loopIteration)
      .max(100)
      .describe('The last iterations, at most 50, oldest first.'),
  })
  .describe('A loop: an agent that works on the same prompt again and again, fresh each time.')
