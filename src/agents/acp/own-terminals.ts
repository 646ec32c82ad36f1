import { type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'

/** The result of a call has this much of the end of its output. */
const longestOutput = 1024 * 1024

/**
 * What a command has printed since the last line, where the agent runs it in a terminal of its own.
 * Its content names that terminal, which the client does not have: the output is in the metadata.
 */
export const ownTerminalOutput = ({ _meta }: Fields): string => {
  const { terminal_output_delta: delta, terminal_output: output } = fieldsOf(_meta)
  return stringOf(fieldsOf(delta).data) ?? stringOf(fieldsOf(output).data) ?? ''
}

/** The output so far and a piece of it. What is too long loses its beginning. */
export const joinOutput = (before: string, piece: string): string =>
  (before + piece).slice(-longestOutput)
