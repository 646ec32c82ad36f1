import type { CommandOptions } from '../agent.ts'

/**
 * Arguments of a one-shot run. Copilot denies what a person would have to allow, unless the person
 * passes `--allow-tool` or `--allow-all-tools`. The prompt is part of its flag, so that it may begin
 * with a dash.
 */
export const copilotCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  `--prompt=${prompt}`,
  '--output-format=json',
  '--stream=on',
  '--no-auto-update',
  ...(options.model === undefined ? [] : [`--model=${options.model}`]),
  ...(options.extra ?? []),
]
