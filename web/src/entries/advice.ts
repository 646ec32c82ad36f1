import type { ErrorCode } from '../../../src/events/index.ts'
import { loginAdvice } from '../../../src/events/login-advice.ts'

const advice: Partial<Record<ErrorCode, string>> = {
  malformed_line: 'The rest of the output was read. No action is needed.',
  line_too_long: 'One line was skipped. No action is needed.',
  torn_line:
    'The agent’s output ended in the middle of a line. Send a message to restart the agent.',
  command_failed: 'The agent continues as before. Try again.',
  extension_error: 'The agent continues without the extension. See the extension’s own log.',
  agent_exit: 'Send a message to restart the agent. It resumes this conversation.',
  budget_exceeded: 'Raise the limit to continue.',
  out_of_order: 'Some details may be missing here. The Events panel shows every event.',
}

/** Errors of Sluice itself. Their messages say nothing about the provider. */
const ownErrors: ReadonlySet<ErrorCode> = new Set(['budget_exceeded'])

/** Whose error it is. */
export interface FailedAgent {
  title: string
  /** How a person logs in. */
  login?: string | undefined
}

/** What to do after an error with this code and message. */
export const adviceForError = (
  code: ErrorCode,
  text: string,
  agent?: FailedAgent,
): string | undefined =>
  (ownErrors.has(code) ? undefined : adviceForMessage(text, agent)) ?? advice[code]

/** What to do after an error with this message. */
export const adviceForMessage = (text: string, agent?: FailedAgent): string | undefined =>
  (agent && loginAdvice(agent, text)) ?? kinds.find(({ pattern }) => pattern.test(text))?.advice

/** Whether the same message can succeed when it is sent again. */
export const canRetry = (text: string): boolean => !tooLong.test(text)

const tooLong = /context|too long|too large|maximum.*tokens|\b413\b/i

const kinds = [
  {
    pattern: tooLong,
    advice: 'The conversation is too long for the model. Compact it, then send the message again.',
  },
  {
    pattern: /\b40[13]\b|api key|authenticat|credential|login/i,
    advice:
      'The provider rejected the agent’s credentials. Fix them on the server, then send the message again.',
  },
  {
    pattern: /credit|billing|quota|insufficient/i,
    advice: 'The account is out of credit. Add credit, or choose another model.',
  },
  {
    pattern: /\b(?:429|529)\b|rate.?limit|overloaded|capacity/i,
    advice: 'The provider is busy. Wait a moment, then send the message again.',
  },
  {
    pattern: /\b5\d\d\b|server error/i,
    advice: 'The provider has a problem. Wait a moment, then send the message again.',
  },
  {
    pattern: /network|connect|socket|timeout|timed out|fetch failed|reached|ENOTFOUND/i,
    advice:
      'The provider could not be reached. Check the server’s network, then send the message again.',
  },
]

/** What to do after a failed run, if nothing more specific applies. */
export const defaultAdvice = 'Send the message again, or choose another model.'
