import { z } from 'zod'

/** Every code that an `error` event may carry, and what it means. Stable: programs rely on them. */
export const errorCodes = {
  malformed_line: 'A line of the agent is not JSON. Its neighbours are read all the same.',
  line_too_long: 'A line is over the limit and was skipped.',
  line_too_deep: 'A line is nested deeper than can be written again, and was skipped.',
  torn_line: 'The stream ended inside a line, as it does when the agent is killed.',
  command_failed: 'The agent refused a command that was sent to it.',
  extension_error: 'An extension of the agent failed.',
  agent_exit: 'The agent’s process ended with an error.',
  log_failed: 'What the agent did could not be stored, so it was stopped.',
  out_of_order: 'An event came that the state of its turn does not allow.',
} as const

export const errorCode = z.enum(keysOf(errorCodes))

/** The keys of a table, as a list that Zod takes for an enumeration. */
function keysOf<Table extends object>(table: Table): (keyof Table & string)[] {
  const isKey = (key: string): key is keyof Table & string => key in table
  return Object.keys(table).filter(isKey)
}
