import type { CommandOptions } from '../agent.ts'
import { promptArgument } from '../prompt-argument.ts'
import { isAtLeast } from '../version.ts'
import { claudeOneShotFlags, claudeStartFlags } from './start.ts'

/**
 * Arguments of a one-shot run. The prompt comes first: a flag of the person that takes a list would
 * swallow it.
 */
export const claudeCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  promptArgument(prompt),
  '-p',
  '--output-format',
  'stream-json',
  '--verbose',
  '--include-partial-messages',
  ...hookFlags(options.version),
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...claudeStartFlags(options.start ?? {}, options.version),
  ...claudeOneShotFlags(options.start ?? {}),
  ...(options.extra ?? []),
]

/** The flag that prints what hooks do. A release that does not have it exits. */
export const hookFlags = (version: string | undefined): string[] =>
  version !== undefined && isAtLeast(version, '2.1.112') ? ['--include-hook-events'] : []
