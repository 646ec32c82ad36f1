import { z } from 'zod'
import { capabilities } from '../events/capabilities.ts'
import { startSupport } from '../events/start-options.ts'

export const sandboxInfo = z
  .object({
    mode: z
      .enum(['on', 'project', 'off'])
      .describe(
        '`on`: agents cannot reach the server’s data and processes. `project`: they also cannot write outside the project. `off`: agents run without a sandbox.',
      ),
    reason: z
      .string()
      .optional()
      .describe('Why agents run without a sandbox, for people. Set if `mode` is `off`.'),
  })
  .describe('Whether agents run in a sandbox on the server’s machine.')

export const agentInfo = z
  .object({
    name: z.string().describe('Name of the agent, used as `agent` of a new session.'),
    title: z.string().describe('Display name.'),
    isInstalled: z.boolean().describe('True if the server can start sessions with this agent.'),
    isBuiltIn: z
      .boolean()
      .optional()
      .describe('True if the agent comes with Sluice and needs no key.'),
    version: z
      .string()
      .optional()
      .describe('Version of the agent program. Absent if the program does not report it.'),
    standing: z
      .enum(['recorded', 'between', 'newer', 'older', 'unknown'])
      .optional()
      .describe(
        'How the version compares with those that Sluice was tried with. `recorded`: it was tried. `between`: between two of them. `newer` and `older`: than all of them. `unknown`: none was tried. Absent without a version.',
      ),
    origin: z
      .enum(['preset', 'user', 'project'])
      .optional()
      .describe(
        'Where an agent comes from that is driven over ACP. `preset`: known to Sluice. `user`: `agents.json` of the data directory. `project`: that of the project. Absent for the other agents.',
      ),
    login: z.string().optional().describe('How to log in to the agent, for people.'),
    models: z
      .array(z.string())
      .optional()
      .describe('Models that sessions with this agent used, newest first, up to 20.'),
    hint: z
      .string()
      .optional()
      .describe('How to install the agent, for people. Set if it is not installed.'),
    capabilities,
    start: startSupport.optional(),
    sandbox: sandboxInfo,
  })
  .describe('An agent that the server supports.')

export const agentList = z
  .object({
    agents: z.array(agentInfo).describe('All agents that the server supports.'),
    problems: z
      .array(z.string())
      .optional()
      .describe('Why agents that are configured are not in the list, for people.'),
  })
  .describe('Response of `GET agents`.')

export const agentQuery = z
  .strictObject({
    projectId: z
      .string()
      .max(200)
      .optional()
      .describe('Also lists the agents that this project names, if it is trusted.'),
  })
  .describe('Query of `GET agents`.')
