import type { ErrorCode } from '../../../src/events/index.ts'

const advice: Partial<Record<ErrorCode, string>> = {
  malformed_line: 'The rest of the stream was read. Nothing needs to be done.',
  line_too_long: 'One line was skipped. Nothing needs to be done.',
  torn_line: 'The agent was cut off. Say something to start it again.',
  command_failed: 'The agent goes on as before. Try again, or say it in another way.',
  extension_error: 'The agent goes on without it. Look at the extension’s own log.',
  agent_exit: 'Say something to start the agent again; it goes on from its own history.',
  out_of_order: 'What is shown here may lack a detail. The events panel has all that came.',
}

/** What to do after an error. */
export const adviceFor = (code: ErrorCode): string | undefined => advice[code]

/** What to do after something failed, by the words of the failure. */
export const adviceForMessage = (text: string): string | undefined => {
  if (/401|403|api key|auth|credential|login/i.test(text))
    return 'The agent’s key was refused. Set it where the server runs, and send the message again.'
  if (/429|rate.?limit|overloaded|529|capacity/i.test(text))
    return 'The provider is busy. Wait a moment and send the message again.'
  if (/credit|billing|quota|insufficient/i.test(text))
    return 'The account has no credit left. Top it up, or choose another model.'
  if (/context|too long|maximum.*tokens|413/i.test(text))
    return 'The conversation does not fit any more. Compact it, then send the message again.'
  if (/network|connect|socket|timeout|timed out|fetch failed|ENOTFOUND/i.test(text))
    return 'The provider could not be reached. Check the network, and send the message again.'
  return undefined
}

/** What to do after a run failed, when nothing better is known. */
export const plainAdvice = 'Send the message again, or choose another model.'
