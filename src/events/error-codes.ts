import { z } from 'zod'

/** Every code of an `error` event with its meaning. Codes are stable: programs rely on them. */
export const errorCodes = {
  malformed_line: 'A line of agent output is not valid JSON. It was skipped.',
  line_too_long: 'A line of agent output is over the size limit. It was skipped.',
  line_too_deep: 'A line of agent output is nested too deeply. It was skipped.',
  line_too_complex: 'A line of agent output has too many values. It was skipped.',
  torn_line: 'The output ended inside a line, which happens when an agent is killed.',
  command_failed: 'The agent rejected a command.',
  approval_unavailable:
    'A call needed an approval, but the agent ran in a way in which it cannot ask anybody. The agent refused the call.',
  extension_error: 'An extension of the agent failed.',
  agent_exit: 'The agent process exited with an error.',
  agent_silent: 'The agent printed nothing after a message, so it was stopped.',
  disk_full: 'The disk was full, or almost, so the agent was stopped.',
  message_interrupted:
    'A message was accepted, but the agent or Sluice ended before the agent confirmed it.',
  log_failed: 'An event could not be stored, so the agent was stopped.',
  log_too_slow:
    'The log could not store events as fast as they came, so an agent that cannot wait was stopped.',
  budget_exceeded: 'A limit of a budget was reached, so the run was stopped.',
  owner_lost: 'The node that ran the agent stopped responding, so another node closed the run.',
  out_of_order: 'An event arrived that the current turn state does not allow.',
} as const

export const errorCode = z
  .enum(keysOf(errorCodes))
  .describe('What went wrong, as a stable code for programs.')

/** The keys of a table, typed as a list that Zod accepts as an enum. */
function keysOf<Table extends object>(table: Table): (keyof Table & string)[] {
  const isKey = (key: string): key is keyof Table & string => key in table
  return Object.keys(table).filter(isKey)
}
