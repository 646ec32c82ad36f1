import type { CommandOptions } from '../agent.ts'
import { promptArgument } from '../prompt-argument.ts'

/** Arguments of one Pi run that prints its events and ends. */
export const piCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  '-p',
  '--mode',
  'json',
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...(options.extra ?? []),
  promptArgument(prompt),
]
