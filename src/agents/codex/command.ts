import type { CommandOptions } from '../agent.ts'
import { promptArgument } from '../prompt-argument.ts'

/**
 * Arguments of a one-shot run. Codex refuses to run outside a Git repository unless it is told not to;
 * Sluice asks by itself whether a directory is trusted.
 */
export const codexCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  'exec',
  '--json',
  '--skip-git-repo-check',
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...(options.extra ?? []),
  promptArgument(prompt),
]
