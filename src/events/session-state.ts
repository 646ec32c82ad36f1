import { z } from 'zod'

/** What a session as a whole is doing. */
export const sessionState = z
  .enum(['idle', 'running', 'ended'])
  .describe('Waits for input, works, or will do nothing more.')
