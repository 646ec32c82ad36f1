import type { CommandOptions } from '../agent.ts'
import { programFile } from './program-file.ts'

/** Arguments of one run that prints its events and ends; nobody can be asked, so it asks nobody. */
export const demoCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  programFile(),
  `--prompt=${prompt}`,
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...(options.extra ?? []),
]
