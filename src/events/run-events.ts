import { z } from 'zod'
import { event } from './define.ts'
import { message, messageRole, stopReason } from './message.ts'
import { assistantMessageEvent } from './update.ts'
import { usage } from './usage.ts'

const messageId = z.string().describe('Unique in the session.')

export const turnState = z.enum([
  'idle',
  'turn_started',
  'step_started',
  'step_finished',
  'turn_finished',
])

export const runEvents = [
  event('agent_start', 'The agent has begun to work on new input. First event of a run.', {}),
  event('agent_end', 'The run is over and settled: nothing more comes without new input.', {
    stopReason: stopReason.optional(),
    errorMessage: z.string().optional().describe('How it failed, for people.'),
    interrupted: z
      .literal(true)
      .optional()
      .describe('The stream ended first; the agent never said that it was done.'),
  }),
  event('turn_start', 'One model call begins, with the tools it will ask for.', {}),
  event('turn_end', 'The model call and its tools are over.', {
    stopReason: stopReason.optional(),
    usage: usage.optional(),
  }),
  event('turn_state', 'The turn went from one state to the next.', {
    oldState: turnState,
    newState: turnState,
    reason: stopReason.optional().describe('Why the step or the turn is over.'),
  }),
  event('message_start', 'A message begins.', {
    messageRole,
    messageId,
    model: z.string().optional().describe('The model that writes it.'),
  }),
  event('message_update', 'An assistant message grows.', { messageId, assistantMessageEvent }),
  event('message_end', 'A message is complete. Its content replaces whatever was streamed.', {
    messageId,
    message,
  }),
  event('message_withdrawn', 'What was streamed of a message is void; readers take it back.', {
    messageId,
    reason: z
      .enum(['retried', 'abandoned'])
      .describe('The call is made again, or its words were dropped.'),
    fromContentIndex: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('Only the blocks from here on are void; without it, the whole message.'),
  }),
  event('subagent_start', 'A tool call has started an agent of its own.', {
    toolCallId: z
      .string()
      .describe('The call that started it; its events have it as `parentToolCallId`.'),
    kind: z.string().optional().describe('What sort of agent, in the agent’s own word.'),
    description: z.string().optional().describe('Its task in a few words.'),
    prompt: z.string().optional().describe('Its task in full.'),
  }),
  event('subagent_end', 'A subagent is done.', {
    toolCallId: z.string().describe('The call that had started it.'),
    isError: z.boolean().optional().describe('Whether it failed, where the agent said so.'),
    usage: usage.optional().describe('What it spent, where the agent said so.'),
  }),
] as const
