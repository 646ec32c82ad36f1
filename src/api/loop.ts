import { z } from 'zod'
import { onExceeded } from '../events/budget.ts'
import { loopInfo, loopLimits, loopSchedule } from '../events/loop.ts'
import { startOptions } from '../events/start-options.ts'
import { label, newWork } from './fields.ts'

export { loopInfo } from '../events/loop.ts'

const promptText = z.string().min(1).max(1_000_000)

export const loopList = z
  .object({ loops: z.array(loopInfo).describe('Loops, newest first.') })
  .describe('Response of `GET loops`.')

export const newLoop = z
  .strictObject({
    ...newWork,
    name: label.optional().describe('Name of the loop.'),
    prompt: promptText
      .optional()
      .describe('The prompt of each iteration. Either this or `promptFile` is required.'),
    promptFile: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe(
        'Path of the file with the prompt, inside the directory of the project. It is read again for each iteration.',
      ),
    promise: label
      .optional()
      .describe(
        'The loop is over when the last line of an answer is this. Default: `LOOP_COMPLETE`.',
      ),
    limits: loopLimits
      .optional()
      .describe(
        'Default: 100 iterations, 5 failures in a row, 3 times the same text. A limit that is given replaces its default.',
      ),
    schedule: loopSchedule.optional(),
    start: startOptions
      .optional()
      .describe('How the agent of each iteration starts, as in `POST sessions`.'),
    onExceeded: onExceeded
      .optional()
      .describe('`stop`: a budget that is used up ends the loop. Default: what the budget sets.'),
  })
  .describe('Body of `POST loops`.')

/** A limit that null removes. */
const removable = <Limit extends z.ZodType>(limit: z.ZodOptional<Limit>) =>
  limit.unwrap().nullable().optional().describe(`${limit.description} Null removes the limit.`)

const limits = loopLimits.shape

export const loopLimitChange = z
  .strictObject({
    maxIterations: removable(limits.maxIterations),
    maxDurationMs: removable(limits.maxDurationMs),
    maxCostUsd: removable(limits.maxCostUsd),
    maxTokens: removable(limits.maxTokens),
    maxFailures: removable(limits.maxFailures),
    maxStale: removable(limits.maxStale),
    idleTimeoutMs: removable(limits.idleTimeoutMs),
  })
  .describe('Limits of a loop to change. Those that are absent do not change.')

export const loopChange = z
  .strictObject({
    name: label.nullable().optional().describe('New name. Null removes the name.'),
    prompt: promptText.optional().describe('New prompt, from the next iteration on.'),
    limits: loopLimitChange.optional(),
  })
  .describe('Body of `PATCH loops/:id`. Fields that are absent do not change.')

export const loopPause = z
  .strictObject({
    abort: z
      .boolean()
      .optional()
      .describe(
        'True: stop the iteration that is going on. Default: false, the loop pauses after it.',
      ),
  })
  .describe('Body of `POST loops/:id/pause`.')
