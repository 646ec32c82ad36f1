import { z } from 'zod'
import { blobField } from './blob-ref.ts'
import { budgetRaise, budgetUse } from './budget.ts'
import { decisionOption } from './decision-option.ts'
import { defineEvent } from './define-event.ts'
import { toolResultMessage } from './message.ts'

const call = {
  toolCallId: z.string().describe('Id of the tool call, the same in all its events.'),
  toolName: z.string().describe('Name of the tool, in the agent’s own term.'),
}

export const approvalAction = z
  .enum(['allow', 'deny'])
  .describe('Whether the request is allowed or denied.')

export const approvalOutcome = z
  .enum(['answered', 'expired', 'cancelled', 'agent_gone', 'policy'])
  .describe(
    'How the approval ended. `answered`: someone decided. `expired`: the deadline passed, or the day is over whose limit has paused the agent. `cancelled`: the agent withdrew the request. `agent_gone`: the agent exited. `policy`: a rule decided without a request.',
  )

export const approvalKind = z
  .enum(['tool', 'question', 'plan', 'budget'])
  .describe(
    'What a person decides. `tool`: whether a tool may run. `question`: how to answer the agent. `plan`: whether the agent carries out its plan. `budget`: whether the agent, which is paused, may spend more.',
  )

export const approvalOption = z
  .strictObject({
    label: z.string().describe('The answer.'),
    description: z.string().optional().describe('What the answer means.'),
  })
  .describe('An answer to choose from.')

export const answerFormat = z
  .enum(['number', 'integer', 'email', 'uri', 'date', 'date-time'])
  .describe('What the typed answer must be. Absent if it can be any text.')

export const approvalQuestion = z
  .strictObject({
    question: z.string().describe('The question. Its answer refers to it.'),
    header: z.string().optional().describe('A short label for the question.'),
    options: z
      .array(approvalOption)
      .describe('Answers to choose from. A person can also type another one.'),
    multiSelect: z.boolean().optional().describe('True if more than one option can be chosen.'),
    onlyOptions: z
      .literal(true)
      .optional()
      .describe('Present if the answer must be one of the options.'),
    isOptional: z
      .boolean()
      .optional()
      .describe(
        'True if the question can be left without an answer. False if the agent accepts no response without it.',
      ),
    format: answerFormat.optional(),
    minimum: z
      .number()
      .optional()
      .describe('The lowest number, the fewest characters, or the fewest options.'),
    maximum: z
      .number()
      .optional()
      .describe('The highest number, the most characters, or the most options.'),
    prefill: z
      .array(z.string())
      .optional()
      .describe('The answer that a person starts with, and may change.'),
  })
  .describe('A question of the agent to a person.')

export const approvalAnswers = z
  .record(z.string(), z.array(z.string()))
  .describe('Answers by question: labels of the chosen options, or typed text.')

export const acceptEdits = z
  .literal(true)
  .describe('From now on, the agent edits files of the project without a request.')

export const approvalDialog = z
  .strictObject({
    kind: z
      .string()
      .describe(
        'Kind of answer: `confirm`, `select`, `input`, `editor`, `form` (the `questions` of the request are its fields) or `url` (whether the person opens an address).',
      ),
    title: z.string().optional().describe('Title of the dialog.'),
    message: z.string().optional().describe('Text of the dialog.'),
    options: z.array(z.string()).optional().describe('Options to choose from.'),
    placeholder: z.string().optional().describe('Placeholder of the input field.'),
    prefill: z.string().optional().describe('Text that a person starts with, and may change.'),
    url: z
      .string()
      .optional()
      .describe('The address to open, always `http` or `https`. Only if `kind` is `url`.'),
  })
  .describe('A question of the agent that is not about a tool call.')

/** The fields of an approval request. */
export const approvalFields = {
  approvalId: z.string().describe('Id of the approval. An answer refers to it.'),
  kind: approvalKind,
  toolCallId: z.string().optional().describe('Id of the tool call that waits for the decision.'),
  toolName: z.string().optional().describe('Name of the tool.'),
  args: z.unknown().optional().describe('Arguments that the tool would run with.'),
  questions: z
    .array(approvalQuestion)
    .optional()
    .describe('Questions to answer with `answers`. Only if `kind` is `question`.'),
  plan: z
    .string()
    .optional()
    .describe('The plan, as Markdown. Only if `kind` is `plan`, and if the agent sends it.'),
  budget: budgetUse
    .optional()
    .describe(
      'The limit that was reached. Only if `kind` is `budget`: allow with `raise`, or deny.',
    ),
  options: z
    .array(decisionOption)
    .optional()
    .describe(
      'Choices that the agent offers. An answer names one in `optionId`; without it, allowing takes `allow_once` and denying takes `reject_once`. Absent if the agent offers none.',
    ),
  canAcceptEdits: z
    .literal(true)
    .optional()
    .describe('Present if an answer can have `acceptEdits`.'),
  reasoning: z.string().optional().describe('Why the agent makes the request.'),
  hash: z
    .string()
    .optional()
    .describe(
      'SHA-256 in hex of what is decided: session, kind, tool, arguments, questions, plan, budget, dialog and options. An answer names it. Absent in events that no session has recorded.',
    ),
  deadline: z
    .number()
    .optional()
    .describe(
      'When the request expires and is denied, in milliseconds since 1970. Absent if it waits until it is answered.',
    ),
  timeoutMs: z.number().optional().describe('The agent’s own time limit, in milliseconds.'),
  dialog: approvalDialog.optional(),
}

export const toolEvents = [
  defineEvent('tool_call', 'The model calls a tool.', {
    ...call,
    input: z.unknown().describe('Arguments from the model.'),
    blob: blobField('Reference to the complete arguments. Present when `input` is only a preview.'),
  }),
  defineEvent('tool_execution_start', 'The tool starts to run.', {
    ...call,
    args: z.unknown().optional().describe('Arguments that the tool runs with.'),
    blob: blobField('Reference to the complete arguments. Present when `args` is only a preview.'),
  }),
  defineEvent('tool_execution_update', 'The tool printed output.', {
    ...call,
    outputDelta: z.string().describe('Output since the previous update.'),
    blob: blobField(
      'Reference to the complete output since the previous update. Present when `outputDelta` is only a preview.',
    ),
    gap: z
      .literal(true)
      .optional()
      .describe('Present if output before this update is missing because the agent left it out.'),
  }),
  defineEvent('tool_execution_end', 'The tool ended.', {
    ...call,
    exitCode: z.number().optional().describe('Exit code. Absent if the agent does not report it.'),
    isError: z
      .boolean()
      .optional()
      .describe('True if the tool failed. Absent if the agent does not report it.'),
    result: z.unknown().optional().describe('Result, as the agent displays it.'),
    blob: blobField(
      'Reference to the complete result. Present when `result` is only a preview. A text or an image inside the result can have its own `blob` instead.',
    ),
    durationMs: z
      .number()
      .nonnegative()
      .optional()
      .describe('Duration in milliseconds, measured by the agent.'),
    interrupted: z
      .literal(true)
      .optional()
      .describe('Present if the call was cut short: it was stopped, or its agent ended.'),
  }),
  defineEvent('tool_result', 'The result of a tool was added to the conversation.', {
    message: toolResultMessage,
  }),
  defineEvent('approval_request', 'The agent waits for an approval.', approvalFields),
  defineEvent('approval_resolved', 'An approval was decided, or ended without a decision.', {
    approvalId: z.string().describe('Id of the approval.'),
    toolCallId: z.string().optional().describe('Id of the tool call that the approval was for.'),
    action: approvalAction,
    by: z.string().optional().describe('Who decided.'),
    outcome: approvalOutcome,
    updatedInput: z
      .unknown()
      .optional()
      .describe('Arguments that the tool runs with instead of the requested ones.'),
    optionId: z.string().optional().describe('Id of the option of the request that was chosen.'),
    answers: approvalAnswers.optional(),
    acceptEdits: acceptEdits.optional(),
    raise: budgetRaise.optional(),
    message: z.string().optional().describe('Message to the agent about the decision.'),
  }),
] as const
