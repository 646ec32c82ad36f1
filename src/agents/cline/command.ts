import type { CommandOptions } from '../agent.ts'

/**
 * Arguments of a one-shot run. `--verbose` adds a first line with the model. Cline takes one word for
 * the name of a command: a blank before it makes it a prompt.
 */
export const clineCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  '--json',
  '--verbose',
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...(options.extra ?? []),
  /^[-@]|^\S+$/.test(prompt) ? ` ${prompt}` : prompt,
]
