import type { CommandOptions } from '../agent.ts'
import { shippedFile } from '../shipped-file.ts'

/** Arguments of one run that prints its events and ends. Such a run requests no approvals. */
export const demoCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  shippedFile('demo/program.js'),
  `--prompt=${prompt}`,
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...(options.extra ?? []),
]
