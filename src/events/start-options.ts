import { z } from 'zod'

export const modeChoice = z
  .strictObject({
    id: z.string().min(1).max(500).describe('The mode in the agent’s own term.'),
    label: z.string().max(500).optional().describe('What people call the mode.'),
    description: z.string().max(2000).optional().describe('What the mode does, for people.'),
    needsRestart: z
      .literal(true)
      .optional()
      .describe('The agent must start again for this mode, so a run cannot change to it.'),
  })
  .describe('A permission mode that an agent offers.')

export const agentSwitch = z
  .enum(['autoCompaction', 'autoRetry'])
  .describe(
    'What an agent does by itself and a person can switch off. `autoCompaction`: it summarizes a long conversation. `autoRetry`: it calls the model again after an error.',
  )

/** Fields of `session_start` and `session_update` that say what a person can choose. */
export const choiceFields = {
  permissionMode: z
    .string()
    .optional()
    .describe('What the agent may do without approval, in the agent’s own term.'),
  modes: z
    .array(modeChoice)
    .max(100)
    .optional()
    .describe('The permission modes that the session can change to. Replaces the previous list.'),
  thinkingLevel: z
    .string()
    .optional()
    .describe('How much the model may think, in the agent’s own term.'),
  thinkingLevels: z
    .array(z.string())
    .max(100)
    .optional()
    .describe('The levels that the session can change to. Replaces the previous list.'),
  autoCompaction: z
    .boolean()
    .optional()
    .describe('Whether the agent summarizes the conversation by itself when it gets long.'),
  autoRetry: z
    .boolean()
    .optional()
    .describe('Whether the agent calls the model again by itself after an error.'),
}

const name = z.string().min(1).max(200)
const text = z.string().min(1).max(100_000)
const strings = z.record(name, z.string().max(10_000))

export const mcpProgram = z
  .strictObject({
    command: z.string().min(1).max(4000).describe('The program to start.'),
    args: z.array(z.string().max(4000)).max(100).optional().describe('Its arguments.'),
    env: strings.optional().describe('Further environment variables of the program.'),
  })
  .describe('An MCP server that the agent starts as a program.')

export const mcpAddress = z
  .strictObject({
    type: z.enum(['http', 'sse']).describe('How the server is reached.'),
    url: z
      .url({ protocol: /^https?$/ })
      .max(4000)
      .describe('Its address.'),
    headers: strings.optional().describe('Headers of each request, such as `Authorization`.'),
  })
  .describe('An MCP server that runs elsewhere.')

export const mcpServer = z
  .union([mcpProgram, mcpAddress])
  .describe('An MCP server: a program that the agent starts, or an address.')

const tools = z.array(name).min(1).max(200)

export const startOptions = z
  .strictObject({
    mode: modeChoice.shape.id
      .optional()
      .describe('Permission mode that the agent starts in, in the agent’s own term.'),
    thinkingLevel: name
      .optional()
      .describe('How much the model may think, in the agent’s own term, such as `high`.'),
    allowedTools: tools
      .optional()
      .describe('Tools that run without approval, or the only tools; the agent defines which.'),
    deniedTools: tools.optional().describe('Tools that the agent must not use.'),
    directories: z
      .array(z.string().min(1).max(4096))
      .min(1)
      .max(50)
      .optional()
      .describe('Further directories that the agent may work in. Absolute paths.'),
    systemPrompt: text.optional().describe('Replaces the agent’s own system prompt.'),
    appendSystemPrompt: text.optional().describe('Added to the agent’s own system prompt.'),
    mcpServers: z
      .record(name.regex(/^[\w.-]+$/), mcpServer)
      .optional()
      .describe('MCP servers, by name. The agent uses them beside its own.'),
  })
  .describe('How the agent of a session starts. An agent has some of these options.')

export const startInfo = z
  .strictObject({
    ...startOptions.omit({ systemPrompt: true, appendSystemPrompt: true, mcpServers: true }).shape,
    systemPrompt: z
      .enum(['replaced', 'extended'])
      .optional()
      .describe('Whether the system prompt is another one, or has an addition.'),
    mcpServers: z.array(z.string()).optional().describe('Names of the MCP servers.'),
  })
  .describe('How the agent of a session starts, without texts and secrets.')

export const startOption = z
  .enum([
    'mode',
    'thinkingLevel',
    'allowedTools',
    'deniedTools',
    'directories',
    'systemPrompt',
    'appendSystemPrompt',
    'mcpServers',
  ])
  .describe('Name of an option of a session’s start.')

export const startSupport = z
  .strictObject({
    options: z.array(startOption).describe('The options that the agent has.'),
    allowedToolsMeaning: z
      .enum(['no_approval', 'only_these'])
      .optional()
      .describe(
        'What `allowedTools` does. `no_approval`: these tools need no approval. `only_these`: the agent has no other tools.',
      ),
  })
  .describe('What can be chosen when a session with an agent starts.')
