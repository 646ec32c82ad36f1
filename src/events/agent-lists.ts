import { z } from 'zod'

export const todoState = z
  .enum(['pending', 'in_progress', 'completed', 'cancelled'])
  .describe('Progress of an item of the to-do list.')

export const todoItem = z
  .strictObject({
    text: z.string().describe('What is to be done.'),
    state: todoState,
    activity: z
      .string()
      .optional()
      .describe('The same as a present activity, such as “Running tests”.'),
    priority: z.string().optional().describe('Priority, in the agent’s own term.'),
    id: z.string().optional().describe('Id of the item, if the agent gives it one.'),
  })
  .describe('An item of the agent’s to-do list.')

export const todoList = z
  .array(todoItem)
  .describe('The agent’s to-do list. Replaces the previous one; empty if it was cleared.')

export const agentCommandKind = z
  .enum(['command', 'skill', 'agent'])
  .describe(
    '`command`: a slash command. `skill`: instructions that the agent loads by name. `agent`: a subagent.',
  )

export const agentCommand = z
  .strictObject({
    name: z.string().describe('Name, without a slash.'),
    kind: agentCommandKind,
    description: z.string().optional().describe('What it does. Long texts are cut.'),
    hint: z.string().optional().describe('What can follow the name, such as `[file]`.'),
  })
  .describe('Something that a person can call by name in a prompt.')

export const agentCommandList = z
  .array(agentCommand)
  .describe(
    'Slash commands, skills and subagents that the agent offers, for completion. Replaces the previous list.',
  )
