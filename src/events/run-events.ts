import { z } from 'zod'
import { defineEvent } from './define-event.ts'
import { errorCode } from './error-codes.ts'
import { delivery, message, messageRole, stopReason } from './message.ts'
import { assistantMessageEvent } from './message-update.ts'
import { runFigureFields, usage } from './usage.ts'

const messageId = z.string().describe('Id of the message, unique in the session.')

export const turnState = z
  .enum(['idle', 'turn_started', 'step_started', 'step_finished', 'turn_finished'])
  .describe(
    'State of the current run. A step is one assistant message of the main thread, with the tools that it calls.',
  )

export const deliveryFailure = z
  .strictObject({
    code: errorCode,
    message: z.string().describe('Error message for people.'),
  })
  .describe('Why a message did not reach the agent.')

export const runEvents = [
  defineEvent('agent_start', 'A run starts: the agent begins to work on new input.', {
    by: z.string().optional().describe('Who sent the prompt that started the run.'),
  }),
  defineEvent('agent_end', 'The run is over. Nothing more happens until new input arrives.', {
    stopReason: stopReason.optional(),
    errorMessage: z.string().optional().describe('Error message for people, if the run failed.'),
    interrupted: z
      .literal(true)
      .optional()
      .describe(
        'Present if the agent’s output ended before the agent reported the end of the run.',
      ),
    forkPoint: z
      .string()
      .optional()
      .describe(
        'The agent’s own id of this point of the conversation, if a copy can end here. See `POST sessions/:id/fork`.',
      ),
    ...runFigureFields,
  }),
  defineEvent('turn_start', 'A turn starts: one model call with the tools that it calls.', {}),
  defineEvent('turn_end', 'The turn is over: the model call and its tools are done.', {
    stopReason: stopReason.optional(),
    usage: usage.optional().describe('Usage of the model call.'),
  }),
  defineEvent('turn_state', 'The turn state changed.', {
    oldState: turnState.describe('State before the change.'),
    newState: turnState.describe('State after the change.'),
    reason: stopReason.optional().describe('Why the step or the run stopped.'),
  }),
  defineEvent('message_start', 'A message starts.', {
    messageRole,
    messageId,
    model: z.string().optional().describe('Model that writes the message.'),
  }),
  defineEvent('message_update', 'An assistant message grows.', {
    messageId,
    assistantMessageEvent,
  }),
  defineEvent('message_end', 'A message is complete. Its content replaces the streamed content.', {
    messageId,
    message,
    commandId: z
      .string()
      .optional()
      .describe('Id of the command that sent the message, if it was sent through Sluice.'),
  }),
  defineEvent('message_delivery', 'A message that was sent to the agent was taken, or failed.', {
    messageId,
    commandId: z.string().describe('Id of the command that sent the message.'),
    state: delivery
      .extract(['taken', 'failed'])
      .describe(
        '`taken`: the agent works on the message. `failed`: it will not, and `reason` says why.',
      ),
    reason: deliveryFailure
      .optional()
      .describe('Why the delivery failed. Present if `state` is `failed`.'),
  }),
  defineEvent('message_withdrawn', 'A message is void. Readers remove what they show of it.', {
    messageId,
    reason: z
      .enum(['retried', 'abandoned'])
      .describe(
        '`retried`: the model call is made again. `abandoned`: the agent dropped the message.',
      ),
    fromContentIndex: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('Only the blocks from this index on are void. If absent, the whole message is.'),
  }),
  defineEvent('subagent_start', 'A tool call started a subagent.', {
    toolCallId: z
      .string()
      .describe('Id of the tool call. Events of the subagent have it as `parentToolCallId`.'),
    kind: z.string().optional().describe('Kind of subagent, in the agent’s own term.'),
    description: z.string().optional().describe('Short description of the task.'),
    prompt: z.string().optional().describe('Prompt of the subagent.'),
  }),
  defineEvent('subagent_end', 'A subagent ended.', {
    toolCallId: z.string().describe('Id of the tool call that started the subagent.'),
    isError: z
      .boolean()
      .optional()
      .describe('True if the subagent failed. Absent if the agent does not report it.'),
    usage: usage
      .optional()
      .describe('Usage of the subagent. Absent if the agent does not report it.'),
  }),
] as const
