import { z } from 'zod'

const state = z.enum(['on', 'off'])

export const watchedAgent = z
  .object({
    agent: z.string().describe('Name of the agent.'),
    title: z.string().describe('What people call the agent.'),
    path: z.string().describe('The directory or the database in which it stores its sessions.'),
    exists: z.boolean().describe('Whether it exists on the machine of the server.'),
    state: state.describe('`off`: a person switched it off.'),
    isRead: z.boolean().describe('Whether its sessions are read.'),
  })
  .describe('Where an agent stores its sessions, and whether they are read.')

export const watchedReport = z
  .object({
    isOn: z.boolean().describe('False: the server was started with `--no-watch`, and reads none.'),
    agents: z.array(watchedAgent).describe('The agents whose sessions can be read.'),
    projectsOff: z
      .array(z.string())
      .describe('Directories that are switched off, with everything below them.'),
  })
  .describe('Response of `GET watched`.')

export const watchedSwitch = z
  .strictObject({
    agent: z.string().min(1).max(64).optional().describe('Name of an agent.'),
    project: z
      .string()
      .regex(/^\/[^\0]*$/)
      .max(4096)
      .optional()
      .describe('Absolute path of a directory. It holds for everything below it, too.'),
    state: state.describe('Whether the sessions are read.'),
  })
  .refine(({ agent, project }) => (agent === undefined) !== (project === undefined), {
    message: 'Name an agent or a project.',
  })
  .describe('Body of `PATCH watched`.')
