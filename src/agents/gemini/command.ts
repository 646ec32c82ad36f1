import type { CommandOptions } from '../agent.ts'
import { promptArgument } from '../prompt-argument.ts'

/** Arguments of a one-shot run. */
export const geminiCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  '-p',
  promptArgument(prompt),
  '--output-format',
  'stream-json',
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...(options.extra ?? []),
]
