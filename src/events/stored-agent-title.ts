import { z } from 'zod'

export const storedAgentTitle = z
  .string()
  .describe(
    'Display name of the agent, if it comes from `agents.json` or is a preset. `GET agents` has the names of the others.',
  )
