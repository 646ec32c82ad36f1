import type { CommandOptions } from '../agent.ts'
import { promptArgument } from '../prompt-argument.ts'
import { codexStartFlags } from './one-shot-start.ts'

/**
 * Arguments of a one-shot run. Without `--skip-git-repo-check`, Codex refuses to run outside a git repository.
 * Sluice has its own check of whether a directory is trusted.
 */
export const codexCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  'exec',
  '--json',
  '--skip-git-repo-check',
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...codexStartFlags(options.start),
  ...(options.extra ?? []),
  promptArgument(prompt),
]
