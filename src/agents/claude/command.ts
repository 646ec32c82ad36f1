import type { CommandOptions } from '../agent.ts'

/** Arguments of one Claude Code run that prints its events and ends. */
export const claudeCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  '-p',
  '--output-format',
  'stream-json',
  '--verbose',
  '--include-partial-messages',
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...(options.extra ?? []),
  prompt,
]
