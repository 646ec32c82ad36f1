import type { ErrorCode } from '../../../src/events/index.ts'

const advice: Partial<Record<ErrorCode, string>> = {
  malformed_line: 'The rest of the output was read. No action is needed.',
  line_too_long: 'One line was skipped. No action is needed.',
  torn_line:
    'The agent’s output ended in the middle of a line. Send a message to restart the agent.',
  command_failed: 'The agent continues as before. Try again.',
  extension_error: 'The agent continues without the extension. See the extension’s own log.',
  agent_exit: 'Send a message to restart the agent. It resumes this conversation.',
  out_of_order: 'Some details may be missing here. The Events panel shows every event.',
}

/** What to do after an error with this code. */
export const adviceForCode = (code: ErrorCode): string | undefined => advice[code]

/** What to do after an error with this message. */
export const adviceForMessage = (text: string): string | undefined => {
  if (/401|403|api key|auth|credential|login/i.test(text))
    return 'The provider rejected the agent’s credentials. Fix them on the server, then send the message again.'
  if (/429|rate.?limit|overloaded|529|capacity/i.test(text))
    return 'The provider is busy. Wait a moment, then send the message again.'
  if (/credit|billing|quota|insufficient/i.test(text))
    return 'The account is out of credit. Add credit, or choose another model.'
  if (/context|too long|maximum.*tokens|413/i.test(text))
    return 'The conversation no longer fits the context window. Compact it, then send the message again.'
  if (/network|connect|socket|timeout|timed out|fetch failed|ENOTFOUND/i.test(text))
    return 'The provider could not be reached. Check the server’s network, then send the message again.'
  return undefined
}

/** What to do after a failed run, if nothing more specific applies. */
export const defaultAdvice = 'Send the message again, or choose another model.'
