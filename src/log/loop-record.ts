import { z } from 'zod'
import { actor } from '../events/actor.ts'
import { loopInfo } from '../events/loop.ts'
import { startOptions } from '../events/start-options.ts'

export const loopRunner = z
  .enum(['server', 'terminal'])
  .describe('Which program runs a loop. A server resumes only its own when it starts.')

export const loopRecord = z
  .strictObject({
    ...loopInfo.shape,
    runner: loopRunner,
    start: startOptions.optional(),
    by: actor.optional().describe('Who created the loop: the sender of its prompts.'),
    creatorId: z.string().optional().describe('The id of the key or browser that created it.'),
    lastText: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe('SHA-256 of the final text of the last iteration, in hex.'),
  })
  .describe('A loop as it is stored.')
