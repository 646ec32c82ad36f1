import type { CommandOptions } from '../agent.ts'
import { promptArgument } from '../prompt-argument.ts'
import { piStartFlags } from './start.ts'

/** Arguments of a one-shot run. */
export const piCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  '-p',
  '--mode',
  'json',
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...piStartFlags(options.start ?? {}),
  ...(options.extra ?? []),
  promptArgument(prompt),
]
