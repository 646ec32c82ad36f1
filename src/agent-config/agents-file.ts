import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import type { ConfiguredAgent } from '../agents/configured-agent.ts'
import { readSmallFile } from '../files/read-small-file.ts'
import { reasonOf } from '../shared/reason.ts'

const text = z.string().min(1).max(4000)
const nameRule = 'use only small letters, digits, dots, hyphens and underscores; at most 50'
const commandRule = 'give a list with the program and its arguments, such as ["my-agent", "acp"]'

const configuredAgentSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,49}$/, nameRule)
      .describe(
        'What commands and requests call the agent: small letters, digits, dots and hyphens.',
      ),
    title: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('What people call it. Default: the name.'),
    command: z
      .tuple([text], text, commandRule)
      .describe(
        'The program and its arguments. A path with a slash is relative to the file; other names are looked up on PATH.',
      ),
    env: z
      .record(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
        z
          .string()
          .max(32_000)
          .regex(/^[^\0]*$/),
      )
      .optional()
      .describe('Environment variables for the agent. They win over those of Sluice.'),
    install: text.optional().describe('How to get the program, for people.'),
    login: text.optional().describe('How to log in, for people.'),
  })
  .describe('An agent that speaks the Agent Client Protocol.')

const agentsFileSchema = z.strictObject({
  $schema: z.string().optional(),
  agents: z.array(configuredAgentSchema).max(100),
})

/** The agents in a file, and what is wrong with it. */
export interface AgentsFile {
  agents: ConfiguredAgent[]
  problem?: string
}

/** Reads `agents.json`. A file that does not exist has no agents. */
export const readAgentsFile = (path: string): AgentsFile => {
  try {
    const content = readSmallFile(path)
    if (content === undefined) return { agents: [] }
    const { agents } = agentsFileSchema.parse(JSON.parse(content))
    return { agents: agents.map((agent) => withWholePath(agent, dirname(path))) }
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? faultsOf(cause) : reasonOf(cause)
    return { agents: [], problem: `The agents in ${path} cannot be used: ${reason}` }
  }
}

/** What is wrong, in one line, because it is printed after other sentences. */
const faultsOf = ({ issues }: z.ZodError): string =>
  `${issues.map(({ path, message }) => `${z.core.toDotPath(path) || 'the file'}: ${message}`).join('; ')}.`

/** Sessions start in other directories. */
const withWholePath = (agent: ConfiguredAgent, directory: string): ConfiguredAgent => {
  const [program, ...args] = agent.command
  return program.includes('/')
    ? { ...agent, command: [resolve(directory, program), ...args] }
    : agent
}
