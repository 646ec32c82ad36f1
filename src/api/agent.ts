import { z } from 'zod'

/** An agent that the server knows. */
export const agentInfo = z.object({
  name: z.string().describe('What `agent` of a new session takes: pi, claude, demo.'),
  title: z.string().describe('What people call it.'),
  isInstalled: z.boolean().describe('Whether a session of it can be begun here.'),
  isBuiltIn: z.boolean().optional().describe('It comes with Sluice and needs no key.'),
  version: z.string().optional().describe('Of its program, where that says so.'),
  models: z
    .array(z.string())
    .optional()
    .describe('Models that its sessions here have used, newest first, at most 20.'),
  hint: z.string().optional().describe('How to get it, if it is not installed; for people.'),
})

/** `GET agents` */
export const agentList = z.object({ agents: z.array(agentInfo) })
