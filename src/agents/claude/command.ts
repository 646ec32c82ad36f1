import type { CommandOptions } from '../agent.ts'
import { promptArgument } from '../prompt-argument.ts'

/**
 * Arguments of a one-shot run. The prompt comes first: a flag of the person that takes a list would
 * swallow it.
 */
export const claudeCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  promptArgument(prompt),
  '-p',
  '--output-format',
  'stream-json',
  '--verbose',
  '--include-partial-messages',
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...(options.extra ?? []),
]
